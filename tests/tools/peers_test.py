"""Which peers there are, what nvcc and the head are told of each, and what a turn's census says.

Usage: peers_test.py TOOLS_FOLDER
"""

import sys
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.path.insert(0, str(TOOLS / "peering"))

import make  # noqa: E402
import peers  # noqa: E402
import turns  # noqa: E402

TABLE = {
    "defines": {"num_stages": "STAGES={}", "payload_bytes": "BYTES={}",
                "producers": "PRODUCERS={}", "consumers": "CONSUMERS={}",
                "sharing": {"round_robin": "TURNS=1"}, "addressing": {"unrolled": "UNROLLED=1"},
                "arrival": {"thread": "PEER_ARRIVAL_BY_WARP=0", "warp": "PEER_ARRIVAL_BY_WARP=1"},
                "mover": {"st_shared": "COPIES=0", "cp_async_bulk": "COPIES=1"}},
    "rule": [{"verb": "*", "forbid": ["LDL*"]},
             {"verb": "wait", "require": {"SYNCS*": 1}, "cold": {"SYNCS*": "0..1"},
              "when": {"arrival": ["warp"]}, "unless": {"num_stages": 1}}],
    "peer": [{"protocol": "theirs", "source": "theirs.cu", "library": "cccl",
              "roles": "specialized", "doc": 'a "ring"',
              "axes": {"mover": ["st_shared"], "num_stages": [1, 4], "payload_bytes": [128],
                       "arrival": ["thread", "warp"]},
              "without": [{"arrival": "warp", "num_stages": 4, "reason": "too many"}]}],
}
BUILT = peers.Built("13.5.37", "-O3", "cccl-3.5.0")


def kernel(**axes):
    own = {"mover": "st_shared", "num_stages": 4, "payload_bytes": 128, "arrival": "thread"}
    return peers.Kernel(TABLE["peer"][0], {**own, **axes})


class Peers(unittest.TestCase):
    def test_every_combination_but_those_left_out(self):
        self.assertEqual([one.name for one in peers.kernels(TABLE)],
                         ["theirs-specialized-st_shared-1-128-thread",
                          "theirs-specialized-st_shared-1-128-warp",
                          "theirs-specialized-st_shared-4-128-thread"])

    def test_what_no_peer_has(self):
        table = {**TABLE, "without": [{"num_stages": 1, "reason": "short"}]}
        self.assertEqual([one.name for one in peers.kernels(table)],
                         ["theirs-specialized-st_shared-4-128-thread"])

    def test_slots_that_do_not_fit_are_none(self):
        big = kernel(mover="cp_async_bulk", payload_bytes=65536)
        self.assertEqual(peers.left_out(big),
                         "the slots do not fit into the shared memory of an SM")
        self.assertIsNone(peers.left_out(kernel(payload_bytes=32768)))
        # 16 x 16 KiB are 256 KiB, of which an SM has 226.
        self.assertEqual(peers.left_out(kernel(payload_bytes=16384, num_stages=16)),
                         "the slots do not fit into the shared memory of an SM")

    def test_every_reader_has_a_word(self):
        self.assertEqual(peers.left_out(kernel(consumers=4)), "not every thread has a word to read")
        self.assertIsNone(peers.left_out(kernel(consumers=4, payload_bytes=512)))

    def test_what_nvcc_is_told(self):
        self.assertEqual(peers.defines(TABLE, kernel(arrival="warp")),
                         ["-DPEER_ENTRY=peer_theirs_specialized_st_shared_4_128_warp",
                          "-DCOPIES=0", "-DSTAGES=4", "-DBYTES=128", "-DPEER_ARRIVAL_BY_WARP=1"])
        with self.assertRaisesRegex(peers.BadPeers, "axis colour: .defines. does not have it"):
            peers.defines(TABLE, kernel(colour="red"))
        with self.assertRaisesRegex(peers.BadPeers, "axis arrival: .* no value 'nobody'"):
            peers.defines(TABLE, kernel(arrival="nobody"))

    def test_rules_hold_where_they_say(self):
        always = '  { verb = "*", forbid = ["LDL*"] },'
        self.assertEqual(peers.rules(TABLE, kernel()), [always])
        self.assertEqual(peers.rules(TABLE, kernel(arrival="warp", num_stages=1)), [always])
        self.assertEqual(peers.rules(TABLE, kernel(arrival="warp")),
                         [always, '  { verb = "wait", require = { "SYNCS*" = 1 }, '
                                  'cold = { "SYNCS*" = "0..1" } },'])

    def test_the_payload_is_that_of_our_rings(self):
        self.assertEqual(peers.payload(kernel()),
                         "payload = { words = 32, threads = 32, vector = 1 }")
        # 4 KiB are 32 words a lane, read by four; copies have 37 images.
        self.assertEqual(peers.payload(kernel(mover="cp_async_bulk", payload_bytes=4096)),
                         "payload = { words = 1024, threads = 32, vector = 4, period = 37 }")

    def test_units_and_looks_ahead_that_have_no_slot(self):
        turns = {"sharing": "round_robin", "consumers": 8, "payload_bytes": 512}
        self.assertEqual(peers.left_out(kernel(**turns)),
                         "units that take turns each have as many slots")
        self.assertIsNone(peers.left_out(kernel(**turns, num_stages=8)))
        self.assertEqual(peers.left_out(kernel(ahead=4)),
                         "a slot that is asked for ahead is another one")
        self.assertIsNone(peers.left_out(kernel(ahead=3)))

    def test_several_readers(self):
        # 4 KiB by 128 threads are 8 words each.
        several = kernel(payload_bytes=4096, consumers=4, num_stages=1)
        self.assertEqual(peers.payload(several),
                         "payload = { words = 1024, threads = 128, vector = 4 }")
        lines = peers.head(TABLE, several, BUILT).splitlines()
        for line in ['//@   { role = "consumer", warps = [1, 2, 3, 4] },', '//@ threads = 160',
                     '//@ shared_bytes = 4096', '//@ consumers = "4"', '//@ early_token = "off"']:
            self.assertIn(line, lines)
        self.assertFalse(any("granule" in line or "_turns" in line for line in lines))

    def test_units_that_take_turns_in_an_unrolled_loop(self):
        # Eight slots, two of each of four producers and four consumers: one warp reads a slot.
        turns = kernel(payload_bytes=512, producers=4, consumers=4, num_stages=8, early_token="on",
                       ahead=1,
                       sharing="round_robin", addressing="unrolled")
        lines = peers.head(TABLE, turns, BUILT).splitlines()
        for line in ['//@   { role = "producer", warps = [3], unit = 3 },',
                     '//@   { role = "consumer", warps = [4], unit = 0 },', '//@ threads = 256',
                     '//@ granule = 8', '//@ min_items = 8', '//@ producer_turns = 4',
                     '//@ consumer_turns = 4', '//@ early_token = "on"', '//@ ahead = "1"',
                     '//@ payload = { words = 128, threads = 32, vector = 4 }',
                     '//@ items_per_iteration = { "consumer" = 2, "producer" = 2 }']:
            self.assertIn(line, lines)

    def test_the_head_stands_above_the_entry(self):
        text = make.with_head("a\n.visible .entry k(\n)\n", peers.head(TABLE, kernel(), BUILT))
        lines = text.splitlines()
        self.assertEqual(lines[0], "a")
        self.assertEqual(lines[-2], ".visible .entry k(")
        self.assertTrue(all(line.startswith("//@") for line in lines[1:-2]))
        for line in ['//@ origin = "nvcc"', '//@ doc = "a \\"ring\\""', '//@ nvcc = "13.5.37"',
                     '//@ flags = "-O3"', '//@ library = "cccl-3.5.0"', '//@ threads = 64',
                     '//@ shared_bytes = 512', '//@ timed_role = "consumer"']:
            self.assertIn(line, lines)

    def test_kernels_of_one_file_are_modules_of_their_own(self):
        text = """.version 9.5
.target sm_90a
.address_size 64
.global .align 1 .b8 unused[1];
.extern .shared .align 128 .b8 mine[];
.extern .shared .align 128 .b8 other[];

\t// .globl\tfirst
.visible .entry first(
)
{
\t.loc\t7 1 3, function_name $L__info_string4, inlined_at 2 5 3
$L__BB0_1:
\tst.shared.u32 [mine], %r1;
}
\t// .globl\tsecond
.visible .entry second(
)
{
\t.loc\t2 9 3
$L__BB1_1:
\tst.shared.u32 [other], %r1;
}
\t.file\t2 "b.cu"
\t.file\t7 "a.cuh"
\t.section\t.debug_str
\t{
$L__info_string4:
.b8 65,0

\t}
"""
        modules = make.split(text)
        self.assertEqual(list(modules), ["first", "second"])
        self.assertEqual(modules["second"], """.version 9.5
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 other[];
.visible .entry second(
)
{
\t.loc\t1 9 3
$L__BB0_1:
\tst.shared.u32 [other], %r1;
}
\t.file\t1 "b.cu"
\t.section\t.debug_str
\t{

\t}
""")
        for part in ["\t.loc\t1 1 3, function_name $L__info_string0, inlined_at 2 5 3\n",
                     '\t.file\t1 "a.cuh"\n\t.file\t2 "b.cu"\n', "$L__info_string0:\n.b8 65,0\n"]:
            self.assertIn(part, modules["first"])
        self.assertNotIn("other", modules["first"])

    def test_files_are_named_the_same_everywhere(self):
        folders = [Path("/a/include"), Path("/a/include/cccl")]
        text = '\t.file\t1 "/a/include/cccl/cuda/pipeline", 1700000000, 9\n\t.file 2 "/b/x.cu"\n'
        self.assertEqual(make.plain_files(text, folders),
                         '\t.file\t1 "cuda/pipeline"\n\t.file 2 "/b/x.cu"\n')


class Committed(unittest.TestCase):
    """bench/peers/peers.toml, where the sources are next to the tools."""

    def setUp(self):
        self.sources = TOOLS.parent / "bench" / "peers"
        self.table = peers.read(self.sources / "peers.toml")

    def test_every_kernel_has_a_source_defines_and_rules(self):
        all_kernels = peers.kernels(self.table)
        names = [one.name for one in all_kernels]
        self.assertEqual(len(names), len(set(names)))
        for one in all_kernels:
            self.assertTrue((self.sources / one.peer["source"]).is_file(), one.name)
            peers.defines(self.table, one)
            self.assertGreater(len(peers.rules(self.table, one)), 2, one.name)


class Turns(unittest.TestCase):
    def test_counts_an_item_of_both_roles(self):
        manifest = {"variants": [
            {"key": {"id": "ring/a"}, "launch": {"item_granule": 2}, "images": [
                {"build": "timed", "census": [
                    {"verb": "wait", "role": "consumer", "hot": {"SYNCS.X": 2, "BRA": 2}},
                    {"verb": "acquire", "role": "producer", "hot": {"SYNCS.X": 2}}]},
                {"build": "guarded", "census": []}]},
            {"key": {"id": "ring/b/stages=1"}, "launch": {"item_granule": 1}, "images": [
                {"build": "timed", "census": [
                    {"verb": "wait", "role": "consumer", "hot": {"SYNCS.Y": 3, "LOP3.LUT": 2}},
                    {"verb": "clock", "role": "consumer", "hot": {"S2R": 1}}]}]},
        ]}
        rows = turns.table(manifest, "ring/a", ["b,stages=1"]).splitlines()
        self.assertEqual(rows[2], "| ring/a | 1 | 0 | 0 | 2 | 0 | 0 | 0 | 0 | 0 | 3 |  |")
        self.assertEqual(rows[3], "| b, stages=1 | 0 | 0 | 0 | 5 | 0 | 0 | 0 | 0 | 1 | 6 | "
                                  "2 LOP3, S2R, SYNCS |")
        # By what is not in the id, under a name of its own.
        rows = turns.table(manifest, "ours: a,-stages=1", ["theirs: b"]).splitlines()
        self.assertTrue(rows[2].startswith("| ours | 1 | 0"))
        self.assertTrue(rows[3].startswith("| theirs | 0 | 0"))
        with self.assertRaisesRegex(SystemExit, "2 variants have '-stages=2' in their id"):
            turns.variant_of(manifest, "-stages=2")


if __name__ == "__main__":
    unittest.main()
