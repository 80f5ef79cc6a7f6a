# A thin front: every target is one script or one command.
.PHONY: demo test test-quick test-all test-cluster bench bench-hosts lint sanitize docs format clean

demo: ## a molecule's energy, from nothing
	bash scripts/demo.sh
test: ## one MPI, every family of tests
	bash scripts/test.sh
test-quick: ## after a small change: the C++ tests that it concerns
	bash scripts/test.sh quick
test-all: ## everything that CI runs; as root also the tests on several hosts
	bash scripts/test.sh all
test-cluster: ## only the tests on several hosts in a box (root)
	bash scripts/test.sh cluster
lint: ## formats, clang-tidy, ruff, mypy
	bash scripts/test.sh lint
sanitize: ## the C++ tests under the address, undefined-behaviour and thread sanitizers
	bash scripts/test.sh sanitize
bench: ## every figure beside its limit
	bash scripts/bench.sh
bench-hosts: ## the same between two hosts in a box (root)
	bash scripts/bench.sh hosts
docs: ## the documentation as a site, in build/site
	.venv/bin/python scripts/site
format: ## rewrite the sources in the house format
	bash scripts/format.sh
clean:
	rm -rf build
