// Does what it is told by lines of its standard input, and answers each with a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"choreomon"
)

type result struct {
	header string
	err    error
}

func main() {
	var shop *choreomon.Process
	var waiting []chan result
	answers := []string{}
	ctx := context.Background()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	later := func(do func() (string, error)) {
		done := make(chan result, 1)
		waiting = append(waiting, done)
		go func() {
			header, err := do()
			done <- result{header, err}
		}()
	}
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		switch words[0] {
		case "connect":
			milliseconds, _ := strconv.Atoi(words[1])
			var err error
			if shop, err = choreomon.Connect(ctx, "run/agent.sock", time.Duration(milliseconds)*time.Millisecond); err != nil {
				answers = append(answers, err.Error())
			}
		case "send":
			count, _ := strconv.Atoi(words[1])
			for n := 0; n < count; n++ {
				later(func() (string, error) { return shop.Sending(ctx, "courier", "parcel", nil) })
			}
		case "handle":
			for _, header := range words[1:] {
				later(func() (string, error) { return "", shop.Handling(ctx, header, "order", nil) })
			}
		case "order":
			values := map[string]string{"size": "of no matter"}
			if len(words) > 1 {
				values["order"] = words[1]
			}
			if _, err := shop.Sending(ctx, "courier", "parcel", values); err != nil {
				answers = append(answers, err.Error())
			}
		case "named":
			name, _ := url.PathUnescape(words[1])
			if _, err := shop.Sending(ctx, "courier", name, nil); err != nil {
				answers = append(answers, err.Error())
			}
		case "all":
			for _, each := range waiting {
				found := <-each
				if found.err != nil {
					found.header = "failed: " + found.err.Error()
				}
				answers = append(answers, found.header)
			}
			waiting = nil
		case "close":
			shop.Close()
		}
		said, _ := json.Marshal(map[string]any{"answers": answers})
		fmt.Println(string(said))
	}
}
