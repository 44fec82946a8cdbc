# Two commands do everything: `make demo` and `make test`. Both make their own environment.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SCENARIO ?= scenarios/orders-violating.yaml
REPORT ?= demo-report.html
FUZZ_PAGE ?= benchmarks/results/live_fuzz.md

.DELETE_ON_ERROR:
.PHONY: demo test test-quick check docs pictures format bench diagram-tools experiments experiments-quick faults soak fuzz laws leases mutants truth clean cluster cluster-stop cluster-clean cluster-test

# The scenario for real: a process for each actor, an agent beside each, and a page about it.
# 0: nothing found, 1: a violation, 3: a possible one. Each is a result of the demo.
demo: $(VENV)/.installed
	@echo "$$ choreomon check $(SCENARIO)"
	@$(BIN)/choreomon check $(SCENARIO)
	@echo
	@echo "$$ choreomon run $(SCENARIO) --report $(REPORT)"
	@$(BIN)/choreomon run $(SCENARIO) --report $(REPORT) || case $$? in 1|3) ;; *) exit 1 ;; esac

test: $(VENV)/.installed-to-check
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

# What a change against BASE needs, nearest first, in about a minute. BASE=HEAD~1: of the last commit.
BASE ?= main
test-quick: $(VENV)/.installed-to-check
	$(BIN)/python -m tests.quick --base $(BASE) $(PYTEST_ARGS)

check: $(VENV)/.installed-to-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site: every page, and one about the Python interface. A link that leads nowhere is an error.
# An environment that is given and has Sphinx is used as it is: it may be that of another checkout.
SITE ?= build/site
docs: $(if $(and $(filter-out file,$(origin VENV)),$(wildcard $(BIN)/sphinx-build)),,$(VENV)/.installed-to-check)
	$(BIN)/python -m sphinx -q -W --keep-going -c docs/site -b html . $(SITE)
	@echo "$(SITE)/index.html"

# Every picture of the docs again, and a sheet of all pictures and pages in both colour schemes.
pictures: $(VENV)/.installed-to-check
	SOURCE_DATE_EPOCH=0 $(BIN)/python -m tests.scenarios.contact_sheet

format: $(VENV)/.installed-to-check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-to-check
	$(BIN)/python -m benchmarks

# The paper's experiments on a reduced grid: half a minute.
experiments-quick: $(VENV)/.installed-to-check
	rm -rf build/experiments
	$(BIN)/choreomon experiment all --quick --jobs 2 -o build/experiments

# The same on the full grid, of which the docs show the results: minutes.
EXPERIMENTS := benchmarks/results/experiments
experiments: $(VENV)/.installed-to-check
	rm -rf $(EXPERIMENTS)
	$(BIN)/choreomon experiment all --seed 0 --jobs 2 -o $(EXPERIMENTS) > $(EXPERIMENTS).md

# Real processes that are killed, stopped, cut off: half an hour. FAULTS_ARGS="agent disk" are some.
# Then what a partition costs the services, ten minutes; its times mean little on a busy machine.
faults: $(VENV)/.installed-to-check
	$(BIN)/python -m benchmarks.faults --write benchmarks/results/live_faults.md $(FAULTS_ARGS)
	$(BIN)/python -m benchmarks.faults --instances --write benchmarks/results/live_faults_instances.md $(FAULTS_ARGS)
	$(BIN)/python -m benchmarks.faults.partition --write benchmarks/results/live_partition.md

# Millions of events through real agents, and again with a dead one; half an hour in all. What came
# out is in benchmarks/results/live_soak.md.
soak: $(VENV)/.installed-to-check
	$(BIN)/python -m benchmarks.live_soak $(SOAK_ARGS)
	$(BIN)/python -m benchmarks.live_soak --dead $(SOAK_ARGS)
	$(BIN)/python -m benchmarks.live_soak --dead --events 110000 --window 10000

# 100,000 bad frames at every socket of a real agent, and inputs that are led by coverage; minutes.
fuzz: $(VENV)/.installed-to-check
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	$(BIN)/python -m benchmarks.fuzz siege --write $(FUZZ_PAGE) $(FUZZ_ARGS)
	$(BIN)/python -m benchmarks.fuzz guided --frames 1000000 --write $(FUZZ_PAGE)
	$(BIN)/python -m benchmarks.fuzz worst --write $(FUZZ_PAGE)

# What is said of each event, beside all orders: random runs and every schedule of small systems, for
# as long as LAWS_ARGS says, as "--seconds 28800 --jobs 2". Goes on where it stopped the last time.
laws: $(VENV)/.installed-to-check
	$(BIN)/python -m tests.laws.night --write benchmarks/results/laws.md $(LAWS_ARGS)

# The rules of leases over replicas that come and go, in random orders, and with each bug planted.
leases: $(VENV)/.installed-to-check
	$(BIN)/python -m tests.laws.leased.sweep --write benchmarks/results/leases.md $(LEASES_ARGS)

# Small changes to what decides, drawn by a seed: do the tests notice? An hour or two; a run that was
# stopped goes on. The order of sets is the same each time.
SEED ?= 1
COUNT ?= 600
mutants: $(VENV)/.installed-to-check
	PYTHONHASHSEED=0 $(BIN)/python -m benchmarks.mutants --seed $(SEED) --count $(COUNT) \
		--write benchmarks/results/mutants.md $(MUTANTS_ARGS)

# Everything that is said of documents drawn by a seed, beside the exact evaluation; half an hour.
TRUTH_PAGE ?= benchmarks/results/truth.md
truth: $(VENV)/.installed-to-check
	$(BIN)/python -m benchmarks.truth --write $(TRUTH_PAGE) $(TRUTH_ARGS)

# The parsers of Mermaid and PlantUML, to which tests then give what is written, and axe-core, which
# looks at pages. Needs npm and Maven.
DIAGRAM_TOOLS := build/diagram-tools
diagram-tools:
	npm install --no-audit --no-fund --prefix $(DIAGRAM_TOOLS) mermaid@11.17.2 jsdom@24.1.3 \
		axe-core@4.10.3
	mvn -q dependency:copy -Dartifact=net.sourceforge.plantuml:plantuml:1.2025.2 \
		-DoutputDirectory=$(CURDIR)/$(DIAGRAM_TOOLS)

# The payment saga in containers: docs/cluster.md.
COMPOSE ?= $(if $(shell command -v docker-compose),docker-compose,docker compose)

cluster:
	@docker info >/dev/null 2>&1 || { echo "make cluster needs docker, and a daemon that answers"; exit 2; }
	$(COMPOSE) up --build --detach
	@cat cluster/started.txt

cluster-stop:
	$(COMPOSE) --profile prometheus down --timeout 5

# Forgets keys, stores and verdicts, too.
cluster-clean:
	$(COMPOSE) --profile prometheus down --timeout 1 --volumes --remove-orphans

# Under a name of its own, beside any other. CLUSTER_TEST_ARGS=--or-skip where docker may be missing.
cluster-test: $(VENV)/.installed
	$(BIN)/python -m cluster.trial $(CLUSTER_TEST_ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "choreomon needs Python 3.11 or newer; say which: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-to-check: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[check]'
	@touch $@ $(VENV)/.installed
