package main

import (
	"fmt"
	"math"
	"time"

	"github.com/robfig/cron"
)

// The best of so many passes counts: what is slower was disturbed.
const passes = 10

// What is computed goes here, so that no compiler leaves the work out.
var sink int64

func printTimes(read inputs) {
	for _, zone := range zoneNames {
		location := load(zone)
		instants, century := times(read.instants, location), times(read.century, location)
		for index, expression := range read.expressions {
			if expression.schedule == nil {
				continue
			}
			report := func(measure string, nanoseconds float64) {
				fmt.Printf("%s\t%s\t%d\t%.2f\n", measure, zone, index, nanoseconds)
			}
			switch expression.group {
			case "mixed":
				report("next", perCall(expression.schedule, instants))
			case "sparse":
				report("sparse", perCall(expression.schedule, instants))
				report("sparse-worst", worst(expression.schedule, instants))
				report("century", perCall(expression.schedule, century))
				report("century-worst", worst(expression.schedule, century))
			case "never":
				report("never", perCall(expression.schedule, instants[:20]))
			}
		}
		fmt.Printf("cold\t%s\t-\t%.2f\n", zone, cold(read, location))
	}
	printParseTimes(read)
}

func times(seconds []int64, location *time.Location) []time.Time {
	var found []time.Time
	for _, second := range seconds {
		found = append(found, time.Unix(second, 0).In(location))
	}
	return found
}

// perCall is the time of one call in a loop over the instants.
func perCall(schedule cron.Schedule, instants []time.Time) float64 {
	return best(passes, len(instants), func() {
		for _, instant := range instants {
			sink += schedule.Next(instant).Unix()
		}
	})
}

// worst is the time of a call at the instant where it takes longest.
func worst(schedule cron.Schedule, instants []time.Time) float64 {
	const repetitions = 64
	slowest := 0.0
	for _, instant := range instants {
		slowest = math.Max(slowest, best(5, repetitions, func() {
			for repetition := 0; repetition < repetitions; repetition++ {
				sink += schedule.Next(instant).Unix()
			}
		}))
	}
	return slowest
}

// cold is the time of a call when expressions and instants come in random order.
func cold(read inputs, location *time.Location) float64 {
	instants := make([]time.Time, len(read.visits))
	for index, visit := range read.visits {
		instants[index] = time.Unix(visit.second, 0).In(location)
	}
	return best(3, len(instants), func() {
		for index, instant := range instants {
			sink += read.expressions[read.visits[index].expression].schedule.Next(instant).Unix()
		}
	})
}

func printParseTimes(read inputs) {
	const texts = 5_000
	parse := func(text string) {
		schedule, err := cron.ParseStandard(text)
		if err != nil || schedule == nil {
			fail("does not parse: " + text)
		}
	}
	varied := best(passes, texts, func() {
		for _, visit := range read.visits[:texts] {
			parse(read.expressions[visit.expression].text)
		}
	})
	fmt.Printf("parse\t-\t-\t%.2f\n", varied)
	for index, expression := range read.expressions {
		if expression.group == "mixed" {
			one := best(passes, 200, func() {
				for repetition := 0; repetition < 200; repetition++ {
					parse(expression.text)
				}
			})
			fmt.Printf("parse-one\t-\t%d\t%.2f\n", index, one)
		}
	}
}

// best is the nanoseconds per call of the fastest pass.
func best(passes, calls int, pass func()) float64 {
	fastest := math.Inf(1)
	for count := 0; count < passes; count++ {
		begin := time.Now()
		pass()
		fastest = math.Min(fastest, float64(time.Since(begin).Nanoseconds())/float64(calls))
	}
	return fastest
}
