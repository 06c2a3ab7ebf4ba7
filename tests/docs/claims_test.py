"""The README's audit is the program's: same claims, statistics, predictions and verdicts as a fresh run on a
smaller budget, and every measured figure inside the fresh interval of 4 standard errors.

usage: claims_test.py SOURCE_DIR BINARY_DIR
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BINARY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PROGRAM = BINARY / "experiments/claims"
README = (SOURCE / "README.md").read_text()
BEGIN, END = "<!-- claims.md begins -->\n", "<!-- claims.md ends -->"


def cells(table):
    """The rows of a Markdown table, each a list of cells."""
    lines = [line for line in table.strip().splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def run(folder, *flags):
    subprocess.run([PROGRAM, "--quiet", "--out", folder, *flags], check=True)
    with open(folder / "claims.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return rows, (folder / "claims.md").read_text()


class TheAudit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.rows, cls.table = run(pathlib.Path(cls.folder.name) / "run", "--n_queries", "20000",
                                  "--config", str(SOURCE / "configs/claims.toml"))
        cls.shown = [row for row in cls.rows if row["shown"] == "yes"]
        cls.readme = cells(README.split(BEGIN)[1].split(END)[0])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_claims_statistics_and_verdicts_are_the_programs(self):
        fresh = cells(self.table)
        self.assertEqual([row[:3] + row[5:] for row in fresh], [row[:3] + row[5:] for row in self.readme])

    def test_the_sentence_before_the_table_counts_its_verdicts(self):
        verdicts = [re.match(r"\*\*(holds if|holds|wrong)", row[5])[1] for row in self.readme if row[0]]
        counts = re.search(r"Of the (\d+)\s+claims (\d+) hold, (\d+) hold under .*? (\d+) are wrong", README, re.DOTALL)
        self.assertEqual([len(verdicts), *map(verdicts.count, ("holds", "holds if", "wrong"))],
                         [int(count) for count in counts.groups()])

    def test_predictions_are_the_programs(self):
        """To three digits; a bound may be made from what a training reached, which differs between processors."""
        for row, line in zip(self.shown, self.readme):
            with self.subTest(row["id"] + ": " + row["statistic"]):
                if row["predicted"]:
                    stated, fresh = float(line[3].strip("≤≥ ").split(" ")[0]), float(row["predicted"])
                    share = 1e-3 if row["predicted_relation"] == "equal" else 0.2
                    self.assertAlmostEqual(fresh, stated, delta=share * abs(fresh) + 1e-12)
                else:
                    self.assertEqual("–", line[3])

    def test_each_measured_figure_lies_in_the_fresh_interval(self):
        self.assertEqual(len(self.shown), len(self.readme))
        for row, line in zip(self.shown, self.readme):
            if row["low_4se"] == row["high_4se"] and row["predicted_relation"] != "equal":
                continue  # counted over few trainings, which differ between processors
            with self.subTest(row["id"] + ": " + row["statistic"]):
                text = line[4].split(" ")[0]
                digits = len(re.sub(r"e.*", "", text).replace(".", "").lstrip("-0")) or 1
                figure = float(text)
                rounding = abs(figure) * 10.0 ** (1 - digits)
                self.assertGreaterEqual(figure, float(row["low_4se"]) - rounding)
                self.assertLessEqual(figure, float(row["high_4se"]) + rounding)

    def test_every_prediction_holds(self):
        self.assertEqual([], [row["statistic"] for row in self.rows if row["agrees"] == "no"])

    def test_every_claim_has_a_file_of_its_name_and_a_statistic_that_could_refute_it(self):
        for identity in {row["id"] for row in self.rows}:
            self.assertTrue((SOURCE / f"experiments/claims/{identity}.cpp").exists())
            self.assertTrue([row for row in self.rows if row["id"] == identity and row["claimed"]])


class TheRun(unittest.TestCase):
    def test_the_same_bytes_at_any_number_of_threads(self):
        flags = ("--claim", "winner_exception,quadratic_cost,dot_product_variance,all_equal_x",
                 "--n_queries", "2000")
        with tempfile.TemporaryDirectory() as folder:
            one = run(pathlib.Path(folder) / "one", *flags, "--threads", "1")
            four = run(pathlib.Path(folder) / "four", *flags, "--threads", "4")
            other = run(pathlib.Path(folder) / "other", *flags, "--seed", "2")
        self.assertEqual(one, four)
        self.assertNotEqual(one, other)
        self.assertEqual([row["verdict"] for row in one[0]], [row["verdict"] for row in other[0]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
