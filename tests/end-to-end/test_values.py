"""Values of every kind from Python, on the artifact of write_artifact (its path is the argument)."""
import gc
import pathlib
import sys
import unittest
import weakref

import numpy as np

import relaxlib
from relaxlib import RelaxError, Shape

ARTIFACT = None


def load(host=lambda x, function: x):
    relaxlib.register_function("host", host)
    return relaxlib.Module(pathlib.Path(ARTIFACT).read_bytes())


class Values(unittest.TestCase):
    def test_results_whose_sizes_come_with_the_call(self):
        grow = load()["grow"]
        for size, trips in [(0, 0), (0, 1), (3, 0), (3, 5), (1000, 7), (3, 5)]:
            x = np.full(size, -1, np.float32)
            for call in (grow.invoke, grow):
                (y,) = call(x, np.int64(trips))
                self.assertEqual((y.shape, y.dtype), ((size + trips,), np.float32))
                np.testing.assert_array_equal(y, -1 if trips == 0 else size + trips)

    def test_planned_functions(self):
        (y,) = load()["scale"].invoke(np.ones([2, 4], np.float32))
        np.testing.assert_array_equal(y, np.full([2, 4], 4))

    def test_shapes(self):
        down = load()["down"]
        np.testing.assert_array_equal(down.invoke(Shape([17]))[0], np.full(4, 17))
        with self.assertRaisesRegex(RelaxError, r"down: argument 0 \"n\": found i64\[1\], expected"):
            down.invoke(np.array([17]))

    def test_values_go_through_the_host(self):
        seen = []
        module = load(lambda x, function: seen.append(function) or x)
        ask = module["ask"]
        x = np.arange(6, dtype=np.int16).reshape(2, 3)
        (y,) = ask.invoke(x)
        np.testing.assert_array_equal(y, x)
        self.assertEqual(y.dtype, np.int16)
        shape, (array, nothing), text = ask.invoke((Shape([1, 2]), (x, ()), "text"))[0]
        self.assertEqual((shape, nothing, text), (Shape([1, 2]), (), "text"))
        self.assertIsInstance(shape, Shape)
        np.testing.assert_array_equal(array, x)
        # The host got the function "scale", and may call it.
        (y,) = seen[0].invoke(np.ones([1, 4], np.float32))
        np.testing.assert_array_equal(y, np.full([1, 4], 4))
        (itself,) = ask.invoke(ask)
        np.testing.assert_array_equal(itself.invoke(x)[0], x)

    def test_objects_are_dropped(self):
        class Thing:
            pass

        thing = Thing()
        reference = weakref.ref(thing)
        self.assertIs(load()["ask"].invoke(thing)[0], thing)
        del thing
        gc.collect()
        self.assertIsNone(reference())

    def test_errors_of_the_host(self):
        ask = load(lambda x, function: 1 / 0)["ask"]
        with self.assertRaisesRegex(RelaxError, "packed function \"host\": ZeroDivisionError"):
            ask.invoke(np.ones(1))
        with self.assertRaisesRegex(RelaxError, "ValueError: returned 2 results, expected 1"):
            load(lambda x, function: [x, x])["ask"].invoke(np.ones(1))
        self.assertEqual(load()["ask"].invoke(np.ones(1))[0], np.ones(1))

    def test_wrong_arguments_do_no_harm(self):
        scale = load()["scale"]
        for wrong in [(), (np.ones([1, 4]),), (np.ones([1, 5], np.float32),), (Shape([1, 4]),),
                      (np.ones([4], np.float32),), ((),), (scale,), ("text",),
                      (np.ones([1, 4], np.float32), 1)]:
            with self.assertRaises(RelaxError) as caught:
                scale.invoke(*wrong)
            self.assertEqual(caught.exception.code, 1, caught.exception)
            (y,) = scale.invoke(np.ones([3, 4], np.float32))
            np.testing.assert_array_equal(y, np.full([3, 4], 4))


if __name__ == "__main__":
    ARTIFACT = sys.argv.pop(1)
    unittest.main()
