# Text tests: each .mlir file's RUN lines are run, with relax-opt and LLVM's tools on the path.
# Run one by hand:  lit -v --param build_dir=build/release tests/ir/dialect/verify.mlir
import os

import lit.formats

config.name = "ir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

repository = os.path.dirname(os.path.dirname(config.test_source_root))
build = os.path.abspath(lit_config.params.get("build_dir", os.path.join(repository, "build/release")))
llvm_tools = lit_config.params.get("llvm_tools", "/usr/lib/llvm-22/bin")
config.test_exec_root = os.path.join(build, "tests/ir")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_tools, os.environ["PATH"]])
# The full names of types are part of what is checked.
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error --enable-var-scope"
