package choreomon

import (
	"encoding/json"
	"os"
	"testing"
)

// Names are written and read as agents do: what they should be is in the file that NAMES names, as lists of
// a name, its word and what labels have.
func TestNames(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("NAMES"))
	if err != nil {
		t.Skip("NAMES names no file with names to try")
	}
	var names [][3]string
	if err := json.Unmarshal(text, &names); err != nil || len(names) == 0 {
		t.Fatal("no names", err)
	}
	for _, each := range names {
		if found := word(each[0]); found != each[1] {
			t.Errorf("the word of %q is %q, not %q", each[0], found, each[1])
		}
		if found := written(each[0]); found != each[2] {
			t.Errorf("labels have %q as %q, not %q", each[0], found, each[2])
		}
		if sender, name, clock, ok := read("1/" + each[1] + "/" + each[1] + "/x"); !ok || sender != each[0] || name != each[0] || clock != "x" {
			t.Errorf("%q is not read as it was written: %q, %q, %q", each[0], sender, name, clock)
		}
	}
}
