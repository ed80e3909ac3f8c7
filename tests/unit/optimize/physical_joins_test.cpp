// What is decided about joins, as programs over made-up tables print it: methods, sides, and where
// filters and matches are tested. Each test has statistics on both sides of a threshold.
#include <gtest/gtest.h>

#include "made_up_tables.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;

constexpr Int128 kSparse = Int128{1} << 31;  // values: no table has a slot for each

//! `t`, whose key is a number of any rows of `u`.
MadeUpTable Probe(uint64_t rows, Int128 values = 1000) {
  return {"t", rows, {{"t_key", values}, {"t_value"}}};
}

//! `u`, with a key and columns to read.
MadeUpTable Build(uint64_t rows, MadeUpColumn key) {
  return {"u", rows, {std::move(key), {"u_value"}, {"u_far", kSparse}}};
}
MadeUpTable Build(uint64_t rows, Int128 values) {
  return Build(rows, MadeUpColumn{.name = "u_key", .values = values});
}
MadeUpTable UniqueBuild(uint64_t rows, Int128 values) {
  return Build(rows, MadeUpColumn{.name = "u_key", .values = values, .is_unique = true});
}

//! Joins `t` with `u` by their keys, and reads of `u` what it needs to.
NodePointer Joined(JoinKind kind, const MadeUpTable& t, NodePointer u) {
  NodePointer join = JoinOf(kind, ScanOf(t), 0, std::move(u), 0);
  return plan::GivesBuildSide(kind) ? Summed(std::move(join), 3) : Counted(std::move(join));
}

//! What is built for that join.
Outline InsertOf(JoinKind kind, const MadeUpTable& t, const MadeUpTable& u, const NodePointer& rows,
                 const LoweringOptions& options = {}) {
  return PartOf(PartOf(ProgramOf({t, u}, Joined(kind, t, rows), options), "pipeline"), "insert");
}
Outline InsertOf(JoinKind kind, const MadeUpTable& t, const MadeUpTable& u) {
  return InsertOf(kind, t, u, ScanOf(u));
}

std::string MethodOf(JoinKind kind, const MadeUpTable& u, uint64_t probe_rows = 1000) {
  return ValueOf(InsertOf(kind, Probe(probe_rows), u), "method");
}

TEST(PhysicalJoins, KeysHaveSlotsOfTheirOwnUpToEightPerRowOrAMillion) {
  constexpr Int128 kMillion = 1 << 20;
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(1000, kMillion)), "direct");
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(1000, kMillion + 1)), "hash");
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(200'000, 1'600'000)), "direct");
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(200'000, 1'600'001)), "hash");
}

TEST(PhysicalJoins, ANullThatIsEqualTakesASlot) {
  const MadeUpTable t = Probe(1000);
  const MadeUpTable u =
      Build(1000, MadeUpColumn{.name = "u_key", .values = 1 << 20, .can_be_null = true});
  const auto method = [&](bool nulls_are_equal) {
    const NodePointer join = Node::Join(JoinKind::Inner, ScanOf(t), ScanOf(u),
                                        {{Column(0), Column(0), nulls_are_equal}}, nullptr);
    return ValuesOf(LastPipeline(ProgramOf({t, u}, Summed(join, 3))), "probe", "method").at(0);
  };
  EXPECT_EQ(method(false), "direct");
  EXPECT_EQ(method(true), "hash");
}

//! The build side of a join by two keys, the first of which has `distinct` values in 1,000 rows.
Outline InsertOfTwoKeys(Int128 first, Int128 second, uint64_t distinct = 0) {
  const MadeUpTable t{"t", 1000, {{"t_first", first}, {"t_second", second}}};
  const MadeUpTable u{
      "u",
      1000,
      {{.name = "u_first", .values = first, .distinct = distinct}, {"u_second", second}, {"x"}}};
  const NodePointer join =
      Node::Join(JoinKind::Inner, ScanOf(t), ScanOf(u),
                 {{Column(0), Column(0), false}, {Column(1), Column(1), false}}, nullptr);
  return PartOf(PartOf(ProgramOf({t, u}, Summed(join, 4)), "pipeline"), "insert");
}

TEST(PhysicalJoins, SlotsAreThoseOfAllKeysTogether) {
  const Outline direct = InsertOfTwoKeys(1024, 1024);
  EXPECT_EQ(ValueOf(direct, "method"), "direct");
  EXPECT_EQ(ValueOf(direct, "slots"), "1048576");
  EXPECT_EQ(ValueOf(direct, "compared_keys"), "");
  const Outline hash = InsertOfTwoKeys(1024, 1025);
  EXPECT_EQ(ValueOf(hash, "method"), "hash");
  EXPECT_EQ(ValueOf(hash, "compared_keys"), "0,1");
}

TEST(PhysicalJoins, OneKeyFindsSlotsAloneIfEightRowsHaveEachOfItsValues) {
  const Outline direct = InsertOfTwoKeys(1000, kSparse, 112);
  EXPECT_EQ(ValueOf(direct, "method"), "direct");
  EXPECT_EQ(ValueOf(direct, "slots"), "1000");
  EXPECT_EQ(ValueOf(direct, "compared_keys"), "1");
  const Outline hash = InsertOfTwoKeys(1000, kSparse, 111);
  EXPECT_EQ(ValueOf(hash, "method"), "hash") << "nine rows each";
  EXPECT_EQ(ValueOf(hash, "compared_keys"), "0,1");
}

TEST(PhysicalJoins, AHashTableOfFourMillionRowsIsFilledByPartitions) {
  constexpr uint64_t kFewest = uint64_t{1} << 22;
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(kFewest, kSparse)), "partitioned_hash");
  EXPECT_EQ(MethodOf(JoinKind::Inner, Build(kFewest - 1, kSparse)), "hash");
}

TEST(PhysicalJoins, RowsThatFiltersLeaveDecideAboutPartitions) {
  constexpr uint64_t kRows = uint64_t{1} << 23;
  const MadeUpTable t = Probe(kRows), u = Build(kRows, kSparse);
  const auto method = [&](int64_t bound, Shape shape) {
    return ValueOf(InsertOf(JoinKind::Inner, t, u, Below(ScanOf(u), 1, bound), {shape}), "method");
  };
  EXPECT_EQ(method(50, Shape::Loop), "partitioned_hash");
  EXPECT_EQ(method(49, Shape::Loop), "hash") << "less than half of the rows";
  EXPECT_EQ(method(50, Shape::Lanes), "hash") << "a GPU fills it at once";
}

TEST(PhysicalJoins, ABitPerKeyIsEnoughUpToThirtyTwoPerSlot) {
  constexpr Int128 kMostBits = 32 << 20;
  for (const JoinKind kind : {JoinKind::Semi, JoinKind::Anti}) {
    EXPECT_EQ(MethodOf(kind, Build(1000, kMostBits)), "bitmap");
    EXPECT_EQ(MethodOf(kind, Build(1000, kMostBits + 1)), "hash");
  }
}

TEST(PhysicalJoins, ABitPerKeyIsEnoughWhereNothingElseIsAskedOfABuildSide) {
  const auto method = [](const MadeUpTable& u, bool reads_build) {
    const MadeUpTable t = Probe(1000);
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(t), 0, ScanOf(u), 0);
    const NodePointer plan = reads_build ? Summed(join, 3) : Counted(join);
    return ValueOf(PartOf(LastPipeline(ProgramOf({t, u}, plan)), "probe"), "method");
  };
  EXPECT_EQ(method(UniqueBuild(1000, 1000), false), "bitmap");
  EXPECT_EQ(method(UniqueBuild(1000, 1000), true), "direct") << "its rows are read";
  EXPECT_EQ(method(Build(1000, 1000), false), "direct") << "its matches count";
}

//! A key of one row each, from 0 on.
MadeUpTable SortedBuild(uint64_t rows, Int128 values) {
  return Build(
      rows, MadeUpColumn{.name = "u_key", .values = values, .is_unique = true, .is_sorted = true});
}

TEST(PhysicalJoins, RanksOfSortedKeysTakeThePlaceOfHeadsBeyondNearCaches) {
  constexpr uint64_t kNear = uint64_t{1} << 18;
  EXPECT_EQ(MethodOf(JoinKind::Inner, SortedBuild(kNear + 1, kNear + 1)), "rank_bitmap");
  EXPECT_EQ(MethodOf(JoinKind::Inner, SortedBuild(kNear, kNear)), "direct");
  EXPECT_EQ(MethodOf(JoinKind::Inner, UniqueBuild(kNear + 1, kNear + 1)), "direct") << "unsorted";
  const MadeUpTable t = Probe(1'000'000), u = SortedBuild(kNear + 1, kNear + 1);
  EXPECT_EQ(ValueOf(InsertOf(JoinKind::Inner, t, u, Below(ScanOf(u), 1, 50)), "method"), "direct")
      << "some of the rows alone are there";
}

TEST(PhysicalJoins, RanksTakeUpToSixteenKeysForEachSlot) {
  constexpr Int128 kMost = 16 * 8 * 300'000;
  EXPECT_EQ(MethodOf(JoinKind::Inner, SortedBuild(300'000, kMost)), "rank_bitmap");
  EXPECT_EQ(MethodOf(JoinKind::Inner, SortedBuild(300'000, kMost + 1)), "hash");
}

TEST(PhysicalJoins, BitsTellFilledSlotsWhereHalfOfManyAreEmpty) {
  const auto has_bits = [](Int128 values, int64_t bound) {
    const MadeUpTable t = Probe(1000), u = Build(1000, values);
    return ValueOf(InsertOf(JoinKind::Inner, t, u, Below(ScanOf(u), 1, bound)), "bits");
  };
  EXPECT_EQ(has_bits(1024, 50), "yes");
  EXPECT_EQ(has_bits(1023, 50), "") << "heads are as near";
  EXPECT_EQ(has_bits(1024, 51), "") << "most rows are there";
}

TEST(PhysicalJoins, UniqueKeysHaveNoChains) {
  const Outline unique = InsertOf(JoinKind::Inner, Probe(1000), UniqueBuild(1000, 5000));
  EXPECT_EQ(ValueOf(unique, "unique"), "yes");
  EXPECT_EQ(ValueOf(unique, "chains"), "");
  MadeUpTable u = UniqueBuild(1000, 5000);
  u.columns[0] = {.name = "u_key", .values = 5000, .distinct = 999};
  const Outline others = InsertOf(JoinKind::Inner, Probe(1000), u);
  EXPECT_EQ(ValueOf(others, "unique"), "");
  EXPECT_EQ(ValueOf(others, "chains"), "yes");
}

TEST(PhysicalJoins, AMethodThatIsAskedForIsTakenWhereItCanServe) {
  const MadeUpTable t = Probe(1000), u = UniqueBuild(1000, 1000);
  for (const JoinMethod method : kJoinMethods) {
    const Outline semi =
        ProgramOf({t, u}, Joined(JoinKind::Semi, t, ScanOf(u)), {Shape::Loop, method});
    const bool can_serve = method != JoinMethod::RankBitmap;  // not sorted
    EXPECT_EQ(ValueOf(PartOf(LastPipeline(semi), "probe"), "method"),
              can_serve ? JoinMethodName(method) : "direct");
  }
}

TEST(PhysicalJoins, LoopsWithoutKeysGoOverTheSmallerSide) {
  const auto flow = [](uint64_t rows, JoinKind kind) {
    const MadeUpTable t = Probe(rows), u = Build(1000, 1000);
    return FlowOf(ProgramOf({t, u}, Counted(Node::Join(kind, ScanOf(t), ScanOf(u), {}, nullptr))));
  };
  const Flow loops_over_t{"t@0 -> join build", "u@1, nested_loop t@0 -> single result"};
  const Flow loops_over_u{"u@1 -> join build", "t@0, nested_loop u@1 -> single result"};
  EXPECT_EQ(flow(999, JoinKind::Inner), loops_over_t);
  EXPECT_EQ(flow(1000, JoinKind::Inner), loops_over_u);
  EXPECT_EQ(flow(999, JoinKind::Left), loops_over_u) << "rows of t must come once";
}

TEST(PhysicalJoins, LoopsOverTooManyRowsAreRefused) {
  constexpr uint64_t kMost = uint64_t{1} << 26;
  const auto refusal = [](uint64_t rows) {
    const MadeUpTable t = Probe(1000), u = Build(rows, 1000);
    return RefusalOf({t, u},
                     Counted(Node::Join(JoinKind::Left, ScanOf(t), ScanOf(u), {}, nullptr)));
  };
  EXPECT_EQ(refusal(kMost), "");
  EXPECT_EQ(refusal(kMost + 1),
            "a join without an equality over more than 67108864 rows for each row");
}

TEST(PhysicalJoins, WhetherASideHasRowsIsOneBit) {
  const MadeUpTable t = Probe(1000), u = Build(uint64_t{1} << 27, 1000);
  const NodePointer join = Node::Join(JoinKind::Semi, ScanOf(t), ScanOf(u), {}, nullptr);
  const Outline program = ProgramOf({t, u}, Counted(join));
  const Outline& probe = PartOf(LastPipeline(program), "probe");
  EXPECT_EQ(ValueOf(probe, "method"), "bitmap");
  EXPECT_EQ(ValueOf(probe, "slots"), "1") << "where a loop over all rows would be refused";
}

//! `head` has 1,000 rows of a unique id, of which `line` has one in each row.
const MadeUpTable kHead{
    "head", 1000, {{.name = "h_id", .values = 1000, .is_unique = true}, {"h_k"}}};

MadeUpTable Line(uint64_t rows) {
  return {"line", rows, {{"l_head", 1000}, {"l_id", static_cast<Int128>(rows)}}};
}

TEST(PhysicalJoins, UniqueKeysAreBuiltWhereTheOtherSideIsLargerOrMuchSmaller) {
  const auto flow = [](uint64_t rows) {
    const MadeUpTable line = Line(rows);
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(kHead), 0, ScanOf(line), 0);
    return FlowOf(ProgramOf({kHead, line}, Summed(join, 1)));
  };
  const Flow head_is_built{"head@0 -> join build", "line@1, direct head@0 -> single result"};
  const Flow line_is_built{"line@1 -> join build", "head@0, direct line@1 -> single result"};
  EXPECT_EQ(flow(1000), head_is_built);
  EXPECT_EQ(flow(999), line_is_built);
  // With 1.2 look-ups in the table of heads for each of its rows that table, which is kept, pays.
  EXPECT_EQ(flow(834), line_is_built);
  EXPECT_EQ(flow(833), head_is_built);
}

TEST(PhysicalJoins, BuiltSidesStayWhereRowsOfAJoinAreNotAlike) {
  const MadeUpTable line = Line(2000);
  for (const JoinKind kind : {JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
    const NodePointer join = JoinOf(kind, ScanOf(kHead), 0, ScanOf(line), 0);
    const Outline program = ProgramOf({kHead, line}, Counted(join));
    EXPECT_EQ(ValuesOf(program, "pipeline", "table"),
              (std::vector<std::string>{"line@1", "head@0"}));
  }
}

//! `few` has 100 rows, and `many` so many for each of them that one is found in `rows` / 100.
const MadeUpTable kFew{"few", 100, {{.name = "f_id", .is_unique = true}, {"f_k"}}};

MadeUpTable Many(uint64_t rows) {
  return {"many", rows, {{"m_few"}, {"m_value", 200}}};
}

Outline ManyOfFew(const MadeUpTable& many, int64_t bound, const LoweringOptions& options = {}) {
  const NodePointer join =
      JoinOf(JoinKind::Inner, ScanOf(many), 0, Below(ScanOf(kFew), 0, bound), 0);
  return ProgramOf({many, kFew}, Summed(join, 1), options);
}

const Flow kManyAreScanned{"few@1 -> join build", "many@0, bitmap few@1 -> single result"};
const Flow kManyAreLookedUp{"many@0 -> join build", "few@1, direct many@0 -> single result"};

TEST(PhysicalJoins, FewRowsAreLookedUpWhereAScanWouldReadThirtyTwoTimesAsMany) {
  // A row of few is found in 50 of many.
  const Outline looked_up = ManyOfFew(Many(5000), 3);
  EXPECT_EQ(FlowOf(looked_up), kManyAreLookedUp);
  EXPECT_EQ(ValueOf(LastPipeline(looked_up), "spared_rows"), "5000");
  EXPECT_EQ(ValueOf(PartOf(PartOf(looked_up, "pipeline"), "insert"), "cached"), "yes");
  const Outline scanned = ManyOfFew(Many(5000), 4);
  EXPECT_EQ(FlowOf(scanned), kManyAreScanned);
  EXPECT_EQ(ValueOf(LastPipeline(scanned), "spared_rows"), "");
}

TEST(PhysicalJoins, ChainsOfMoreThanSixtyFourRowsAreNotFollowed) {
  EXPECT_EQ(FlowOf(ManyOfFew(Many(6400), 1)), kManyAreLookedUp);
  EXPECT_EQ(FlowOf(ManyOfFew(Many(6500), 1)), kManyAreScanned);
}

TEST(PhysicalJoins, ATableIsLookedUpInWhereItTakesAnEighthOfMemory) {
  const uint64_t bytes = 5000 * (1 + 1 + 8);  // of columns and the join table
  EXPECT_EQ(FlowOf(ManyOfFew(Many(5000), 1, {Shape::Loop, {}, 8 * bytes})), kManyAreLookedUp);
  EXPECT_EQ(FlowOf(ManyOfFew(Many(5000), 1, {Shape::Loop, {}, 8 * bytes - 1})), kManyAreScanned);
}

TEST(PhysicalJoins, LanesScanWhereALoopLooksUp) {
  EXPECT_EQ(FlowOf(ManyOfFew(Many(5000), 1, {Shape::Loop})), kManyAreLookedUp);
  EXPECT_EQ(FlowOf(ManyOfFew(Many(5000), 1, {Shape::Lanes})), kManyAreScanned);
}

TEST(PhysicalJoins, AFilterOfABuildSideIsLiftedWhereFewerRowsGetThere) {
  const MadeUpTable line{"line", 100'000, {{"l_head", 1000}, {"l_id", 100'000}}};
  const auto program = [&](int64_t bound) {
    const NodePointer join =
        JoinOf(JoinKind::Inner, Below(ScanOf(line), 1, bound), 0, Below(ScanOf(kHead), 1, 50), 0);
    return ProgramOf({line, kHead}, Counted(join));
  };
  const Outline lifted = program(833);  // 1.2 of them are as many as heads
  EXPECT_TRUE(PartOf(lifted, "pipeline").PartsNamed("filter").empty());
  EXPECT_EQ(ValueOf(PartOf(PartOf(lifted, "pipeline"), "insert"), "cached"), "yes");
  EXPECT_EQ(LastPipeline(lifted).PartsNamed("filter").size(), 2u);
  const Outline built = program(834);
  EXPECT_EQ(PartOf(built, "pipeline").PartsNamed("filter").size(), 1u);
  EXPECT_EQ(ValueOf(PartOf(PartOf(built, "pipeline"), "insert"), "cached"), "");
  EXPECT_EQ(LastPipeline(built).PartsNamed("filter").size(), 1u);
}

TEST(PhysicalJoins, AFilterOfASearchedSideIsTestedInTheSearchOfFarFewerRows) {
  for (const JoinKind kind : {JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
    const auto program = [&](uint64_t rows) {
      const MadeUpTable many = Many(rows);
      const NodePointer join = JoinOf(kind, ScanOf(kFew), 0, Below(ScanOf(many), 1, 100), 0);
      return ProgramOf({kFew, many}, Counted(join));
    };
    const Outline searched = program(3200);  // 32 times as many as few
    EXPECT_TRUE(PartOf(searched, "pipeline").PartsNamed("filter").empty());
    EXPECT_EQ(PartOf(LastPipeline(searched), "probe").PartsNamed("residual").size(), 1u);
    EXPECT_EQ(ValueOf(LastPipeline(searched), "spared_rows"), "3200");
    const Outline built = program(3199);
    EXPECT_EQ(PartOf(built, "pipeline").PartsNamed("filter").size(), 1u);
    EXPECT_TRUE(PartOf(LastPipeline(built), "probe").PartsNamed("residual").empty());
    EXPECT_EQ(ValueOf(LastPipeline(built), "spared_rows"), "");
  }
}

TEST(PhysicalJoins, SegmentsAreSkippedByTheKeysOfFilteredSides) {
  const auto skipped = [](uint64_t rows, JoinKind kind, int64_t bound) {
    const MadeUpTable t = Probe(rows), u = Build(60'000, 1000);
    const NodePointer build = bound == 0 ? ScanOf(u) : Below(ScanOf(u), 1, bound);
    return ValuesOf(LastPipeline(ProgramOf({t, u}, Joined(kind, t, build))), "skip_segments",
                    "column");
  };
  const std::vector<std::string> by_key{"t_key"}, none;
  EXPECT_EQ(skipped(storage::kSegmentRows + 1, JoinKind::Inner, 50), by_key);
  EXPECT_EQ(skipped(storage::kSegmentRows + 1, JoinKind::Semi, 50), by_key);
  EXPECT_EQ(skipped(storage::kSegmentRows, JoinKind::Inner, 50), none) << "there is one segment";
  EXPECT_EQ(skipped(storage::kSegmentRows + 1, JoinKind::Inner, 0), none) << "all keys are there";
  EXPECT_EQ(skipped(storage::kSegmentRows + 1, JoinKind::Left, 50), none);
  EXPECT_EQ(skipped(storage::kSegmentRows + 1, JoinKind::Anti, 50), none);
}

TEST(PhysicalJoins, EntriesAreNumberedWhereABuildSideHasARowSeveralTimes) {
  const auto insert = [](bool is_unique) {
    const MadeUpTable t = Probe(1000), u = Build(1000, 1000);
    const MadeUpTable v{"v", 1000, {{.name = "v_key", .values = 5000, .is_unique = is_unique}}};
    const NodePointer build = JoinOf(JoinKind::Inner, ScanOf(u), 1, ScanOf(v), 0);
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(t), 0, build, 0);
    const Outline program = ProgramOf({t, u, v}, Summed(join, 5));
    return PartOf(PartOf(program, "pipeline", 1), "insert");
  };
  EXPECT_EQ(ValueOf(insert(false), "numbered"), "yes");
  EXPECT_EQ(ValueOf(insert(false), "links"), "2,1") << "the rows of v and u";
  EXPECT_EQ(ValueOf(insert(true), "numbered"), "");
  EXPECT_EQ(ValueOf(insert(true), "links"), "2") << "that of v; an entry is a row of u";
}

//! A join by strings of both tables.
Outline JoinByStrings(JoinKind kind, std::vector<std::string_view> probe,
                      std::vector<std::string_view> build) {
  const plan::TypeKind varchar = plan::TypeKind::Varchar;
  const MadeUpTable t{
      "t", 1000, {{.name = "t_s", .type = varchar, .dictionary = std::move(probe)}}};
  const MadeUpTable u{
      "u", 1000, {{.name = "u_s", .type = varchar, .dictionary = std::move(build)}}};
  const NodePointer join = Node::Join(
      kind, ScanOf(t), ScanOf(u),
      {{Expression::Column(0, varchar, "t_s"), Expression::Column(0, varchar, "u_s"), false}},
      nullptr);
  return ProgramOf({t, u}, Counted(join));
}

TEST(PhysicalJoins, StringsWithDictionariesAreJoinedByTheirCodes) {
  const Outline program = JoinByStrings(JoinKind::Inner, {"a", "b", "c"}, {"b", "c"});
  const Outline& probe = PartOf(LastPipeline(program), "probe");
  EXPECT_EQ(ValueOf(probe, "method"), "direct");
  EXPECT_EQ(ValueOf(probe, "slots"), "2");
  EXPECT_EQ(ValueOf(PartOf(LastPipeline(program), "let"), "value"), "$0[t_s]");
  EXPECT_EQ(ValueOf(PartOf(LastPipeline(program), "lookups"), "bytes"), "12")
      << "the other side's code of each string";
}

TEST(PhysicalJoins, TextIsJoinedByHashesAndComparedBehind) {
  for (const auto& build : {std::vector<std::string_view>{}, {"b", "c"}}) {
    const Outline inner = JoinByStrings(JoinKind::Inner, {}, build);
    EXPECT_EQ(ValueOf(PartOf(LastPipeline(inner), "probe"), "method"), "hash");
    EXPECT_EQ(ValueOf(PartOf(LastPipeline(inner), "probe"), "compared_keys"), "");
    EXPECT_EQ(LastPipeline(inner).PartsNamed("filter").size(), 1u);
    const Outline semi = JoinByStrings(JoinKind::Semi, {}, build);
    EXPECT_EQ(PartOf(LastPipeline(semi), "probe").PartsNamed("residual").size(), 1u);
    EXPECT_TRUE(LastPipeline(semi).PartsNamed("filter").empty());
  }
}

}  // namespace
}  // namespace margay::optimize
