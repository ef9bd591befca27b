// The contestant robfig/cron: answers and times for the inputs that `CronBenchmark inputs` wrote.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron"
)

const usage = "usage: robfig answers|times INPUTS, or robfig memory FILE, or robfig changes|burst|lateness COUNT"

func main() {
	if len(os.Args) != 3 {
		fail(usage)
	}
	switch mode, argument := os.Args[1], os.Args[2]; mode {
	case "answers":
		printAnswers(readInputs(argument))
	case "times":
		printTimes(readInputs(argument))
	case "memory":
		printMemory(argument)
	case "changes":
		printChanges(number(argument))
	case "burst":
		printBurst(number(argument))
	case "lateness":
		printLateness(number(argument))
	default:
		fail(usage)
	}
}

type expression struct {
	group    string
	text     string
	schedule cron.Schedule
}

type visit struct {
	expression int
	second     int64
}

type inputs struct {
	expressions []expression
	instants    []int64
	century     []int64
	visits      []visit
}

var zoneNames = []string{"UTC", "America/New_York"}

func readInputs(folder string) inputs {
	var read inputs
	for _, line := range lines(filepath.Join(folder, "expressions")) {
		columns := strings.Split(line, "\t")
		// What it does not understand has no schedule, and is left out of what follows.
		schedule, err := cron.ParseStandard(columns[1])
		if err != nil {
			schedule = nil
		}
		read.expressions = append(read.expressions, expression{columns[0], columns[1], schedule})
	}
	read.instants = numbers(filepath.Join(folder, "instants"))
	read.century = numbers(filepath.Join(folder, "century"))
	for _, line := range lines(filepath.Join(folder, "visits")) {
		columns := strings.Split(line, "\t")
		read.visits = append(read.visits, visit{int(number(columns[0])), number(columns[1])})
	}
	return read
}

func printAnswers(read inputs) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, zone := range zoneNames {
		location := load(zone)
		for index, expression := range read.expressions {
			if expression.group != "mixed" {
				continue
			}
			for _, second := range read.instants {
				next := expression.schedule.Next(time.Unix(second, 0).In(location))
				fmt.Fprintf(out, "%s\t%d\t%d\t%d\n", zone, index, second, next.Unix())
			}
		}
	}
}

func lines(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		fail(err.Error())
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func numbers(path string) []int64 {
	var found []int64
	for _, line := range lines(path) {
		found = append(found, number(line))
	}
	return found
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		fail(err.Error())
	}
	return value
}

func load(zone string) *time.Location {
	location, err := time.LoadLocation(zone)
	if err != nil {
		fail(err.Error())
	}
	return location
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
