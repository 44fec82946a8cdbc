package choreomon

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	header = regexp.MustCompile(`^[12]/([\w~][\w.~-]*)/([\w~][\w.~-]*)/(~?[\w-]*)$`)
	plain  = regexp.MustCompile(`^\w[\w.-]*$`)
	other  = regexp.MustCompile(`^[.-]|[^\w.-]`)
	quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
)

// word writes a name with letters, digits and a few signs alone, as it stands in a header.
func word(name string) string {
	return other.ReplaceAllStringFunc(name, func(each string) string {
		return strings.ReplaceAll(fmt.Sprintf("% X", "\x00"+each), " ", "~")[2:]
	})
}

// written gives a name as labels have it.
func written(name string) string {
	if plain.MatchString(name) {
		return name
	}
	return `"` + quotes.Replace(name) + `"`
}

// headerOf gives the header of a message; one with a short clock is of another version.
func headerOf(sender, name, clock string) string {
	version := "1"
	if strings.HasPrefix(clock, "~") {
		version = "2"
	}
	return strings.Join([]string{version, word(sender), word(name), clock}, "/")
}

// read gives what a header says, and whether it is one.
func read(text string) (sender, name, clock string, ok bool) {
	found := header.FindStringSubmatch(text)
	if found == nil || len(found[1]) > 2400 || len(found[2]) > 2400 || len(found[3]) > 4096 ||
		(text[0] == '2') != strings.HasPrefix(found[3], "~") {
		return "", "", "", false
	}
	sender, bad := url.PathUnescape(strings.ReplaceAll(found[1], "~", "%"))
	name, worse := url.PathUnescape(strings.ReplaceAll(found[2], "~", "%"))
	return sender, name, found[3], bad == nil && worse == nil && isName(sender) && isName(name)
}

func isValue(text string) bool {
	return 0 < len(text) && len(text) <= 256 && utf8.ValidString(text)
}

// isName tells whether agents take a text as the name of a process or message; they refuse a client that
// says anything else for good.
func isName(text string) bool {
	length := utf8.RuneCountInString(text)
	unprintable := strings.ContainsFunc(text, func(each rune) bool { return !unicode.IsPrint(each) })
	return 0 < length && length <= 200 && text != "(begin)" && utf8.ValidString(text) && !unprintable
}
