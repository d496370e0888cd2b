"""Every op of the dialect has a conformance case, or is listed with the test that covers it."""
import unittest

import coverage


class Coverage(unittest.TestCase):
    def setUp(self):
        self.defined = coverage.defined_ops()
        self.tested = {case.op for family in coverage.families() for case in coverage.cases(family)}

    def test_every_op_has_a_case(self):
        self.assertGreater(len(self.defined), 30)
        missing = sorted(set(self.defined) - self.tested - set(coverage.ELSEWHERE))
        self.assertEqual(missing, [], "ops without a case in tests/conformance; CONTRIBUTING.md says "
                         "what an op needs")

    def test_every_case_is_of_an_op(self):
        self.assertEqual(sorted(self.tested - set(self.defined)), [], "no such ops")

    def test_what_is_listed_exists(self):
        self.assertEqual(sorted(set(coverage.ELSEWHERE) - set(self.defined)), [], "no such ops")
        self.assertEqual(sorted(set(coverage.ELSEWHERE) & self.tested), [], "these have cases now")
        for op in coverage.ELSEWHERE:
            path, note = coverage.test_of(op)
            self.assertTrue((coverage.ROOT / path).is_file(), f"{op}: no {path}")
            if not note:
                self.assertRegex((coverage.ROOT / path).read_text(), rf"relax\.{op}\b",
                                 f"{path} is said to test {op}")


if __name__ == "__main__":
    unittest.main()
