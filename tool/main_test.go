package tool_test

import (
	"testing"

	"go.uber.org/goleak"
)

// GEN-12: no goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
