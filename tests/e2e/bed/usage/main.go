// SPDX-License-Identifier: Apache-2.0

// ask-usage asks a server for usage by Prometheus' own client for Go, as KAI's scheduler does.
//
//	ask-usage URL <QUESTIONS
//
// A question is a line of JSON: {"query", "time"} for an instant, {"query", "start", "end", "step"} for
// a range; moments and steps are seconds. An answer is a line, too: {"type", "rows": [{"labels",
// "value"}], "warnings"} or {"error"}.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

const timeout = 10 * time.Second

type question struct {
	Query string   `json:"query"`
	Time  float64  `json:"time"`
	Start float64  `json:"start"`
	End   float64  `json:"end"`
	Step  *float64 `json:"step"`
}

type row struct {
	Labels model.Metric `json:"labels"`
	Value  string       `json:"value"`
}

type answer struct {
	Type     string      `json:"type,omitempty"`
	Rows     []row       `json:"rows"`
	Warnings v1.Warnings `json:"warnings,omitempty"`
	Error    string      `json:"error,omitempty"`
}

func moment(seconds float64) time.Time {
	return time.UnixMilli(int64(seconds * 1000))
}

func ask(client v1.API, q question) answer {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var value model.Value
	var warnings v1.Warnings
	var err error
	if q.Step != nil {
		step := time.Duration(*q.Step * float64(time.Second))
		value, warnings, err = client.QueryRange(ctx, q.Query, v1.Range{Start: moment(q.Start), End: moment(q.End), Step: step})
	} else {
		value, warnings, err = client.Query(ctx, q.Query, moment(q.Time))
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	out := answer{Type: value.Type().String(), Rows: []row{}, Warnings: warnings}
	if vector, ok := value.(model.Vector); ok {
		for _, sample := range vector {
			out.Rows = append(out.Rows, row{sample.Metric, sample.Value.String()})
		}
	}
	return out
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ask-usage URL <QUESTIONS")
		os.Exit(2)
	}
	client, err := api.NewClient(api.Config{Address: os.Args[1]})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	questions, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for questions.More() {
		var q question
		if err := questions.Decode(&q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := answers.Encode(ask(v1.NewAPI(client), q)); err != nil {
			os.Exit(1)
		}
	}
}
