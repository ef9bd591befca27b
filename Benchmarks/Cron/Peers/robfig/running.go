package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/robfig/cron"
)

func nothing() {}

// printMemory tells the heap bytes of a job; the file has one expression for each job.
func printMemory(path string) {
	texts := lines(path)
	before, pages := heapInUse(), residentPages()
	scheduler := cron.New()
	for _, text := range texts {
		add(scheduler, text, nothing)
	}
	scheduler.Start()
	after := heapInUse()
	kind, count := filepath.Base(path), float64(len(texts))
	fmt.Printf("memory\t%s\t-\t%.1f\n", kind, float64(after-before)/count)
	fmt.Printf("resident\t%s\t-\t%.1f\n", kind, float64(residentPages()-pages)*4096/count)
	runtime.KeepAlive(scheduler)
	runtime.KeepAlive(texts)
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func residentPages() int64 {
	return number(strings.Split(lines("/proc/self/statm")[0], " ")[1])
}

// printChanges tells how long it takes to add a job to so many that run, and to remove it.
func printChanges(count int64) {
	scheduler := cron.New()
	for job := int64(0); job < count; job++ {
		add(scheduler, fmt.Sprintf("%d %d * * *", job%60, job/60%24), nothing)
	}
	scheduler.Start()
	const pairs = 20
	pair := best(3, pairs, func() {
		for count := 0; count < pairs; count++ {
			scheduler.Remove(add(scheduler, "0 0 1 1 *", nothing))
		}
	})
	fmt.Printf("change\t%d\t-\t%.0f\n", count, pair)
}

// printBurst tells, for 20 seconds, when the last of so many jobs that are due each second has started.
func printBurst(count int64) {
	const rounds = 20
	var started, latest [rounds]int64
	// The first second is left to warm up.
	first := time.Now().Unix() + 3
	scheduler := cron.New(cron.WithSeconds())
	for job := int64(0); job < count; job++ {
		add(scheduler, "* * * * * *", func() {
			now := time.Now()
			round := now.Unix() - first
			if round < 0 || round >= rounds {
				return
			}
			lateness := int64(now.Nanosecond())
			for seen := atomic.LoadInt64(&latest[round]); seen < lateness; seen = atomic.LoadInt64(&latest[round]) {
				if atomic.CompareAndSwapInt64(&latest[round], seen, lateness) {
					break
				}
			}
			atomic.AddInt64(&started[round], 1)
		})
	}
	scheduler.Start()
	time.Sleep(time.Until(time.Unix(first+rounds, 500_000_000)))
	for round := range latest {
		if started[round] != count {
			fail(fmt.Sprintf("%d of %d jobs started", started[round], count))
		}
		fmt.Printf("burst\t-\t%d\t%d\n", round, latest[round])
	}
}

// printLateness tells, for so many seconds, how late a single job starts.
func printLateness(seconds int64) {
	lateness := make(chan int64, seconds+2)
	scheduler := cron.New(cron.WithSeconds())
	add(scheduler, "* * * * * *", func() { lateness <- int64(time.Now().Nanosecond()) })
	scheduler.Start()
	for second := int64(0); second < seconds; second++ {
		fmt.Printf("lateness\t-\t%d\t%d\n", second, <-lateness)
	}
}

func add(scheduler *cron.Cron, text string, job func()) cron.EntryID {
	id, err := scheduler.AddFunc(text, job)
	if err != nil {
		fail(err.Error())
	}
	return id
}
