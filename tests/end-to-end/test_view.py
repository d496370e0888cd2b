"""`relax view`: the page in a real browser. Chromium runs it without a network and without a screen."""
import json
import os
import re
import shutil
import subprocess
import unittest

import cli

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"

PROGRAM = """
!n = tensor<?x64xf32, #relax.shape<[n, 64]>>
!m = tensor<?x32xf32, #relax.shape<[n, 32]>>
func.func @main(%x: !n {relax.name = "x"}, %scale: tensor<64xf32>, %w: tensor<32x64xf32>) -> !m
    attributes {relax.symbols = #relax.symbols<n = [0, 4096]>} {
  %0 = relax.rms_norm %x, %scale {epsilon = 1.0e-5 : f64} : (!n, tensor<64xf32>) -> !n
  %1 = relax.matmul %0, %w {transpose_b} : (!n, tensor<32x64xf32>) -> !m
  %2 = relax.softmax %1 {axis = 1 : i64} : (!m) -> !m
  %3 = relax.matmul %2, %w : (!m, tensor<32x64xf32>) -> !n
  %4 = relax.rms_norm %3, %scale {epsilon = 1.0e-5 : f64} : (!n, tensor<64xf32>) -> !n
  %5 = relax.matmul %4, %w {transpose_b} : (!n, tensor<32x64xf32>) -> !m
  return %5 : !m
}"""

# Runs inside the page after it has shown itself, and leaves what it found in the title.
PROBE = """
<script>
addEventListener('load', () => {
  const found = {};
  try { %s } catch (error) { found.error = String(error.stack || error); }
  document.body.append(Object.assign(document.createElement('pre'), { id: 'found', textContent: JSON.stringify(found) }));
});
</script>
"""


class ViewTest(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = cls.folder / "program.mlir"
        program.write_text(PROGRAM)
        cls.page = cls.folder / "program.html"
        result = cls().relax("view", program, "-o", cls.page)
        assert result.code == 0, result.err

    def browse(self, script, page=None, fragment=""):
        """What `script` puts into `found` when the page is open."""
        page = page or self.page
        probed = page.with_name("probed-" + page.name)
        text = page.read_text()
        # Nothing is fetched from anywhere.
        self.assertNotRegex(text, r'(?:src|href)="?https?:')
        probed.write_text(text.replace("</body>", PROBE % script + "</body>"))
        out = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder}/browser", "--window-size=1400,900", "--dump-dom",
             "--virtual-time-budget=4000", f"file://{probed}{fragment}"],
            capture_output=True, text=True, timeout=120,
            env={**os.environ, "HOME": str(self.folder)})
        match = re.search(r'<pre id="found">(.*?)</pre>', out.stdout, re.S)
        self.assertTrue(match, out.stderr[-2000:])
        found = json.loads(match[1].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
        self.assertNotIn("error", found)
        return found

    def test_passes_and_what_they_changed(self):
        found = self.browse("""
          found.tabs = [...document.querySelectorAll('#tabs button')].map(b => b.textContent);
          found.passes = [...document.querySelectorAll('aside .item')].map(i => [i.querySelector('.name').textContent, i.className]);
          show('passes', String(DATA.passes.findIndex(p => p.name === 'legalize')));
          found.added = document.querySelectorAll('.row.add').length;
          found.removed = [...document.querySelectorAll('.row.del')].map(r => r.textContent);
        """)
        self.assertEqual(len(found["tabs"]), 5)
        names = [name for name, _ in found["passes"]]
        self.assertEqual(names[0], "import")
        self.assertIn("group-kernels", names)
        classes = dict(found["passes"])
        self.assertIn("same", classes["fold-shapes"])
        self.assertNotIn("same", classes["legalize"])
        self.assertGreater(found["added"], 10)
        self.assertTrue(any("relax.attention" in row for row in found["removed"]))

    def test_difference_is_exact(self):
        found = self.browse("""
          const random = (seed => () => (seed = seed * 48271 % 2147483647) / 2147483647)(7);
          let wrong = 0, long = 0;
          for (let i = 0; i < 300; i++) {
            const a = Array.from({ length: random() * 30 | 0 }, () => random() * 5 | 0), b = Array.from({ length: random() * 30 | 0 }, () => random() * 5 | 0);
            const rows = differences(a, b);
            const old = rows.filter(r => r[0] !== '+').map(r => r[1]), now = rows.filter(r => r[0] !== '-').map(r => r[1]);
            if (JSON.stringify(old) !== JSON.stringify(a) || JSON.stringify(now) !== JSON.stringify(b)) wrong++;
            // As few edits as the longest common subsequence allows.
            const t = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
            for (let x = a.length - 1; x >= 0; x--) for (let y = b.length - 1; y >= 0; y--) t[x][y] = a[x] === b[y] ? 1 + t[x + 1][y + 1] : Math.max(t[x + 1][y], t[x][y + 1]);
            if (rows.filter(r => r[0] !== ' ').length !== a.length + b.length - 2 * t[0][0]) long++;
          }
          found.wrong = wrong; found.long = long;
        """)
        self.assertEqual((found["wrong"], found["long"]), (0, 0))

    def test_sliders_evaluate_the_plan(self):
        found = self.browse("""
          show('memory');
          const arena = () => Number(document.getElementById('arena').dataset.bytes);
          const slider = document.querySelector('input[type=range][data-symbol=n]');
          const plan = DATA.memory.find(p => p.name === 'main');
          const number = slider.parentElement.querySelector('input[type=number]');
          found.at = [];
          for (const n of [0, 1, 7, 4096]) {
            number.value = n;
            number.dispatchEvent(new Event('input'));
            found.at.push([n, arena(), parseExpression(plan.arena)({ n, m: 0 })]);
          }
          slider.value = slider.max;
          slider.dispatchEvent(new Event('input'));
          found.most = arena();
          found.shown = document.getElementById('arena').textContent;
          // No two blocks that live at once share a byte, but for a result in the place of an operand
          // that dies with it.
          found.overlaps = 0;
          for (const n of [1, 5, 100]) {
            const blocks = evaluatePlan(plan, { n, m: 3 }).blocks;
            for (const a of blocks) for (const b of blocks)
              if (a !== b && !(a.low === b.low && (a.to === b.from || b.to === a.from)) && a.from <= b.to && b.from <= a.to && a.low < b.low + b.length && b.low < a.low + a.length) found.overlaps++;
          }
          found.blocks = plan.blocks.length;
        """)
        for n, shown, evaluated in found["at"]:
            self.assertEqual(shown, evaluated, n)
        self.assertEqual(found["most"], found["at"][-1][1])
        self.assertGreater(found["most"], found["at"][1][1])
        self.assertRegex(found["shown"], r"MiB|KiB")
        self.assertGreater(found["blocks"], 1)
        self.assertEqual(found["overlaps"], 0)

    def test_expressions(self):
        found = self.browse("""
          const cases = [['3 * n + 1', 16], ['floordiv(n, 2) + ceildiv(n, 2)', 5], ['mod(n, 3) - 7', -5], ['max(n, 2 * m, 9)', 14], ['-(n - m) * 2', 4], ['64 * ceildiv(n * m, 16)', 192]];
          found.bad = cases.filter(([text, value]) => parseExpression(text)({ n: 5, m: 7 }) !== value);
          found.refused = ['n +', 'alert(1)', '(n'].filter(text => { try { parseExpression(text)({ n: 1 }); return false; } catch { return true; } }).length;
        """)
        self.assertEqual(found["bad"], [])
        self.assertEqual(found["refused"], 3)

    def test_graph_kernels_guards_and_search(self):
        found = self.browse("""
          show('graph', 'imported/main');
          found.nodes = document.querySelectorAll('g.node').length;
          found.edges = document.querySelectorAll('path.edge').length;
          show('kernels', Object.keys(DATA.kernels).find(k => DATA.kernels[k].strategy === 'row-reduction'));
          found.kernel = document.querySelector('section').textContent;
          show('guards', '0');
          found.guards = [...document.querySelectorAll('td .badge')].map(b => b.textContent);
          show('passes');
          const box = document.getElementById('search');
          box.value = 'softmax';
          box.dispatchEvent(new Event('input'));
          found.marks = document.querySelectorAll('mark').length;
          dispatchEvent(new KeyboardEvent('keydown', { key: '4' }));
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '4', bubbles: true }));
          found.tab = document.querySelector('#tabs [aria-selected=true]').textContent;
          document.getElementById('theme').click();
          found.dark = document.documentElement.classList.contains('dark');
        """)
        self.assertGreaterEqual(found["nodes"], 10)
        self.assertGreaterEqual(found["edges"], 9)
        self.assertIn("row-reduction", found["kernel"])
        self.assertIn("scf.for", found["kernel"])
        self.assertIn("checked", found["guards"])
        self.assertGreater(found["marks"], 0)
        self.assertIn("Memory", found["tab"])

    def test_a_failing_pass_is_shown(self):
        bad = self.folder / "bad.mlir"
        bad.write_text("""
func.func @main(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = "relax.call_packed"(%x) {function = "</script><b>"} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %0 : tensor<?xf32, #relax.shape<[n]>>
}""")
        page = self.folder / "bad.html"
        result = self.relax("view", bad, "-o", page)
        if result.code != 0:
            return  # Refused when it was read: then there is nothing to show.
        found = self.browse("found.failure = document.getElementById('failure').textContent;", page)
        self.assertIn("impure", found["failure"])


if __name__ == "__main__":
    unittest.main()
