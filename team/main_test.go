package team_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine outlives the runs.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
