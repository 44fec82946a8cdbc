// Package choreomon is a client of choreomon agents, without dependencies: docs/agent-protocol.md.
//
//	agent, err := choreomon.Connect(ctx, "", 0) // of the variable CHOREOMON
//	header, err := agent.Sending(ctx, "billing", "charge", nil) // before the message leaves
//	err = agent.Handling(ctx, request.Header.Get("choreomon"), "charge", nil) // before anything is done
//
// The policy is block, and every event is told. What was not answered when a connection broke is told
// again, and counts once. Where the agent has lost its memory, it is told how many events are in doubt,
// and reminded of all that was known.
package choreomon

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

const greeting = 10 * time.Second // in which a connection has to be welcomed
const longest = 4 << 20           // bytes of a frame of an agent

// ErrUnavailable: nothing was answered in time, or the agent refuses this client: the message must not leave.
var ErrUnavailable = errors.New("the agent is not available")

type said map[string]any

type heard struct {
	Type, Process, Session, Clock, Reason, Message string
	Number, Window                                 int64
	Labels                                         []string
}

type report struct {
	said    said
	settled chan struct{} // closed when clock or err is there
	clock   string
	err     error
	over    bool
}

func (r *report) settle(clock string, err error) {
	if !r.over {
		r.over, r.clock, r.err = true, clock, err
		close(r.settled)
	}
}

// Process is one service, for any goroutines. One that is nil is not monitored, and does nothing.
type Process struct {
	network, place               string
	deadline                     time.Duration
	mu                           sync.Mutex // of all that follows
	conn                         net.Conn
	ready                        bool
	closed                       error
	name, session, known, reason string
	labels                       []string
	last, told, done, window     int64
	lost                         int
	waiting                      map[int64]*report
	welcomed, stopped, gone      chan struct{} // once; for good; the connection
}

// Connect gives the process whose agent is at address once it has answered: the path of its socket, or
// tcp://127.0.0.1:PORT, and then the token is in the file that CHOREOMON_TOKEN_FILE names; "" for that of the
// environment variable CHOREOMON. Where that is off, or there is neither, nothing is monitored, and the
// process is nil. deadline: how long this may take, and each event may wait; 0 for 5 s.
func Connect(ctx context.Context, address string, deadline time.Duration) (*Process, error) {
	stated := strings.TrimSpace(os.Getenv("CHOREOMON"))
	if address == "" {
		address = stated
	}
	if address == "" || address == "off" || strings.EqualFold(stated, "off") {
		return nil, nil
	}
	p := &Process{network: "unix", place: strings.TrimPrefix(address, "unix:"), deadline: deadline,
		waiting: map[int64]*report{}, welcomed: make(chan struct{}), stopped: make(chan struct{})}
	if place, tcp := strings.CutPrefix(address, "tcp://"); tcp {
		if host, _, err := net.SplitHostPort(place); err != nil || !net.ParseIP(host).IsLoopback() {
			return nil, fmt.Errorf("agent address %q: use tcp://127.0.0.1:PORT", address)
		}
		p.network, p.place = "tcp", place
	}
	if deadline == 0 {
		p.deadline = 5 * time.Second
	}
	go p.keepConnected()
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	select {
	case <-p.welcomed:
		return p, nil
	case <-p.stopped:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(fmt.Errorf("%w: %s: %s", ErrUnavailable, p.place, p.reason))
	return nil, p.closed
}

// Sending is to be called before a message leaves; what it returns is the header choreomon of the message,
// "" where nothing is monitored. values are those that the message carries, by their parameters.
func (p *Process) Sending(ctx context.Context, to, name string, values map[string]string) (string, error) {
	if p == nil {
		return "", nil
	}
	clock, err := p.report(ctx, "send", to, name, "", values)
	if err != nil {
		return "", err
	}
	return headerOf(p.name, name, clock), nil
}

// Handling is to be called before anything is done because of a message: with its header and, for one that
// comes from outside, its name.
func (p *Process) Handling(ctx context.Context, header, name string, values map[string]string) error {
	sender, clock := "env", ""
	if from, carried, known, ok := read(header); ok {
		sender, name, clock = from, carried, known
	}
	if p == nil || name == "" {
		return nil
	}
	_, err := p.report(ctx, "handle", sender, name, clock, values)
	return err
}

// Close ends the session, in order where nobody waits for an answer.
func (p *Process) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if gone := p.gone; p.ready && len(p.waiting) == 0 {
		p.say(said{"type": "goodbye"})
		p.mu.Unlock()
		select {
		case <-gone: // the agent closes the connection, and so has heard it
		case <-time.After(p.deadline):
		}
		p.mu.Lock()
	}
	p.end(fmt.Errorf("%w: it was closed", ErrUnavailable))
}

// Events

func (p *Process) report(ctx context.Context, event, peer, name, clock string, values map[string]string) (string, error) {
	p.mu.Lock()
	if err := p.refused(event, peer, name, values); err != nil {
		p.mu.Unlock()
		return "", err
	}
	entry := p.enqueue(event, peer, name, clock, values)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	select {
	case <-entry.settled:
		return entry.clock, entry.err
	case <-ctx.Done(): // it goes on to be told: whether it happened is for the agent to say
		return "", fmt.Errorf("%w: %s", ErrUnavailable, p.place)
	}
}

// refused says why an event cannot be told, such as a value that it carries and lacks.
func (p *Process) refused(event, peer, name string, values map[string]string) error {
	for _, each := range []string{peer, name} {
		if !isName(each) {
			return fmt.Errorf("%q is no name: 1 to 200 printable characters", each)
		}
	}
	label := written(p.name) + " -> " + written(peer) + " : " + written(name)
	if event == "handle" {
		label = "handle " + written(peer) + " -> " + written(p.name) + " : " + written(name)
	}
	for _, each := range p.labels {
		carried, carries := strings.CutPrefix(each, label+"(")
		for _, parameter := range strings.Split(strings.TrimSuffix(carried, ")"), ", ") {
			if carries && !isValue(values[parameter]) {
				return fmt.Errorf("%s carries %s", label, parameter)
			}
		}
	}
	return p.closed
}

func (p *Process) enqueue(event, peer, name, clock string, values map[string]string) *report {
	p.last++
	entry := &report{said: said{"type": "report", "number": p.last, "event": event, "peer": peer, "name": name,
		"heard": clock}, settled: make(chan struct{})}
	if len(values) > 0 {
		entry.said["values"] = values
	}
	p.waiting[p.last] = entry
	p.tell()
	return entry
}

// reports are those that were not answered, in order.
func (p *Process) reports() (found []*report) {
	for number := p.done + 1; number <= p.last; number++ {
		found = append(found, p.waiting[number])
	}
	return found
}

// tell says as many as may wait for their answers, which come in order.
func (p *Process) tell() {
	for p.ready && p.told < p.last && p.told < p.done+p.window {
		p.told++
		message := p.waiting[p.told].said
		message["done"] = p.done
		p.say(message)
	}
}

// The connection

func (p *Process) keepConnected() {
	const first, most = 50 * time.Millisecond, 2 * time.Second
	for pause := first; ; pause = min(2*pause, most) {
		if p.connected() {
			pause = first
		}
		select {
		case <-p.stopped:
			return
		case <-time.After(pause/2 + time.Duration(rand.Int63n(int64(pause/2)))):
		}
	}
}

// connected talks with the agent until the connection is of no use any more, and returns whether it was.
func (p *Process) connected() (welcomed bool) {
	conn, token, err := p.dial()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.reason = err.Error()
		return false
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(greeting)) // until it is welcomed
	p.conn, p.gone = conn, make(chan struct{})
	defer close(p.gone)
	p.say(said{"type": "hello", "policy": "block", "session": p.session, "lost": p.lost, "token": token})
	for p.closed == nil {
		p.mu.Unlock()
		message, err := next(conn)
		p.mu.Lock()
		if err != nil {
			p.reason = err.Error()
		}
		if err != nil || !p.take(message) {
			break
		}
		welcomed = true
	}
	p.ready = false
	return welcomed
}

func (p *Process) dial() (conn net.Conn, token string, err error) {
	if file := os.Getenv("CHOREOMON_TOKEN_FILE"); p.network == "tcp" && file != "" {
		var text []byte
		text, err = os.ReadFile(file)
		token = strings.TrimSpace(string(text))
	}
	if err == nil {
		conn, err = net.DialTimeout(p.network, p.place, greeting)
	}
	return conn, token, err
}

func next(conn net.Conn) (message heard, err error) {
	var length uint32
	if err = binary.Read(conn, binary.BigEndian, &length); err == nil && length <= longest {
		body := make([]byte, length)
		if _, err = io.ReadFull(conn, body); err == nil {
			err = json.Unmarshal(body, &message)
		}
	}
	return message, err
}

func (p *Process) say(message said) {
	body, err := json.Marshal(message)
	if err == nil {
		_, err = p.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	}
	if err != nil {
		p.conn.Close() // who reads there notices
	}
}

// take returns whether the connection is still of use.
func (p *Process) take(message heard) bool {
	switch entry := p.waiting[message.Number]; {
	case message.Type == "welcome":
		return p.takeWelcome(message)
	case message.Type == "clock" && entry != nil:
		p.known, p.done = message.Clock, message.Number
		delete(p.waiting, message.Number)
		entry.settle(message.Clock, nil)
		p.tell()
	case message.Type == "refused":
		p.takeRefusal(message, entry)
		return false
	}
	return true
}

func (p *Process) takeWelcome(message heard) bool {
	if number := message.Number; number < p.done || number > p.last || p.session == "" && number > 0 {
		p.forget() // the agent has lost its memory
		return false
	}
	if p.known == "" {
		p.known = message.Clock
	}
	if p.name == "" { // who reads it has waited for the first welcome
		p.name = message.Process
	}
	p.session, p.window, p.labels = message.Session, message.Window, message.Labels
	p.ready, p.told, p.lost = true, p.done, 0
	p.tell()
	select {
	case <-p.welcomed:
	default:
		close(p.welcomed)
	}
	p.conn.SetReadDeadline(time.Time{})
	return true
}

func (p *Process) takeRefusal(message heard, entry *report) {
	p.reason = fmt.Sprintf("the agent refused: %s: %s", message.Reason, message.Message)
	switch {
	case message.Reason == "malformed" && entry != nil && entry.said["heard"] != "":
		entry.said["heard"] = "" // nobody can read it
	case message.Reason == "session" || message.Reason == "number":
		p.forget()
	case message.Reason != "closing":
		p.end(fmt.Errorf("%w: %s", ErrUnavailable, p.reason))
	}
}

// forget begins a new session. Events that the old one may have taken are in doubt: told again they might
// count twice. Who waits for them goes on once the agent has heard all that was known.
func (p *Process) forget() {
	doubtful, known := p.reports(), p.known
	p.ready, p.session, p.last, p.told, p.done = false, "", 0, 0, 0
	p.waiting, p.lost = map[int64]*report{}, p.lost+len(doubtful)
	reminder := p.enqueue("send", "env", "reminder", known, nil)
	for _, each := range doubtful {
		if clock := each.said["heard"].(string); clock != "" {
			reminder = p.enqueue("send", "env", "reminder", clock, nil)
		}
	}
	go func() {
		<-reminder.settled
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, each := range doubtful {
			each.settle(reminder.clock, reminder.err)
		}
	}()
}

func (p *Process) end(err error) {
	if p.closed != nil {
		return
	}
	p.closed, p.ready = err, false
	for _, each := range p.waiting {
		each.settle("", err)
	}
	if p.conn != nil {
		p.conn.Close()
	}
	close(p.stopped)
}
