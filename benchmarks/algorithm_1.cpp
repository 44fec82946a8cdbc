// Algorithm 1 of the automata paper (the centralized procedure), written from its prose: the
// automaton of Definition 4 is built state by state from its initial one, and the procedure stops at
// the first final state. A plain program to compare with, not a part of choreomon.
//
// Input, numbers between blanks:
//   states letters edges
//   number of initial states, these; number of final states, these
//   for each edge: source letter target
//   number of locations, number of multi-traces; for each of these, and each location: length, letters
// Output, a line for each multi-trace: 1 for Pass or 0 for Error, states that were built,
// nanoseconds.
//
//   g++ -O2 -std=c++17 -o algorithm_1 algorithm_1.cpp

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unordered_set>
#include <vector>

using Numbers = std::vector<std::uint32_t>;

namespace {

std::uint64_t read() {
    std::uint64_t number = 0;
    if (!(std::cin >> number)) {
        std::fputs("the input ends early, or is not made of numbers\n", stderr);
        std::exit(2);
    }
    return number;
}

// An automaton: where a letter leads to from a state.
struct Automaton {
    std::size_t states = 0;
    std::size_t letters = 0;
    Numbers initial;
    std::vector<bool> final_states;
    std::vector<Numbers> targets;  // by state * letters + letter

    const Numbers& after(std::size_t state, std::size_t letter) const {
        return targets[state * letters + letter];
    }
};

struct Result {
    bool pass;
    std::size_t built;
};

// A state of Definition 4 is a suffix of each local trace (its position) and a state of the
// automaton, here as one number.
Result centralized(const Automaton& automaton, const std::vector<Numbers>& traces) {
    std::vector<std::uint64_t> weight(traces.size());
    std::uint64_t whole = automaton.states;
    for (std::size_t place = 0; place < traces.size(); ++place) {
        weight[place] = whole;
        const std::uint64_t lengths = traces[place].size() + 1;
        if (whole > UINT64_MAX / lengths) {
            std::fputs("the traces are too long to be counted with 64 bits\n", stderr);
            std::exit(2);
        }
        whole *= lengths;
    }
    std::unordered_set<std::uint64_t> built;
    std::vector<std::uint64_t> pending;
    std::uint64_t ended = 0;
    for (std::size_t place = 0; place < traces.size(); ++place) {
        ended += weight[place] * traces[place].size();
    }
    for (const auto state : automaton.initial) {
        built.insert(state);
        pending.push_back(state);
        if (ended == 0 && automaton.final_states[state]) return {true, built.size()};
    }
    while (!pending.empty()) {
        const std::uint64_t node = pending.back();
        pending.pop_back();
        const std::size_t state = node % automaton.states;
        for (std::size_t place = 0; place < traces.size(); ++place) {
            const std::size_t position = node / weight[place] % (traces[place].size() + 1);
            if (position == traces[place].size()) continue;
            for (const auto target : automaton.after(state, traces[place][position])) {
                const std::uint64_t next = node - state + weight[place] + target;
                if (!built.insert(next).second) continue;
                if (next - target == ended && automaton.final_states[target]) {
                    return {true, built.size()};
                }
                pending.push_back(next);
            }
        }
    }
    return {false, built.size()};
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    Automaton automaton;
    automaton.states = read();
    automaton.letters = read();
    const std::uint64_t edges = read();
    for (std::uint64_t left = read(); left > 0; --left) {
        automaton.initial.push_back(static_cast<std::uint32_t>(read()));
    }
    automaton.final_states.resize(automaton.states);
    for (std::uint64_t left = read(); left > 0; --left) automaton.final_states.at(read()) = true;
    automaton.targets.resize(automaton.states * automaton.letters);
    for (std::uint64_t left = edges; left > 0; --left) {
        const std::uint64_t source = read(), letter = read(), target = read();
        automaton.targets.at(source * automaton.letters + letter)
            .push_back(static_cast<std::uint32_t>(target));
    }
    const std::uint64_t locations = read();
    for (std::uint64_t left = read(); left > 0; --left) {
        std::vector<Numbers> traces(locations);
        for (auto& trace : traces) {
            trace.resize(read());
            for (auto& letter : trace) letter = static_cast<std::uint32_t>(read());
        }
        const auto began = std::chrono::steady_clock::now();
        const Result result = centralized(automaton, traces);
        const auto took = std::chrono::steady_clock::now() - began;
        std::printf("%d %zu %lld\n", result.pass ? 1 : 0, result.built,
                    static_cast<long long>(
                        std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
    }
    return 0;
}
