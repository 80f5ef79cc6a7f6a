# A thin front: every target is one script or one command.
.PHONY: demo test test-cluster bench bench-hosts lint sanitize format clean

demo: ## a molecule's energy, from nothing
	bash scripts/demo.sh
test: ## everything that CI runs; as root also the tests on several hosts
	bash scripts/test.sh
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
format: ## rewrite the sources in the house format
	bash scripts/format.sh
clean:
	rm -rf build
