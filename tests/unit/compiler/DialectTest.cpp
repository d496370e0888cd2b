// The dialect's C++ interface: tensor types and their shapes, unification, checked building,
// formats.

#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/NormalizeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace relax;
using relax::symbolic::Expr;

namespace {

class DialectTest : public ::testing::Test {
protected:
  DialectTest() {
    context.loadDialect<ir::RelaxDialect, func::FuncDialect, tensor::TensorDialect>();
    f32 = Float32Type::get(&context);
  }
  Expr expr(const char *text) {
    std::string error;
    Expr parsed = ir::symbolicContext(&context).parse(text, &error);
    EXPECT_TRUE(parsed) << text << ": " << error;
    return parsed;
  }
  RankedTensorType tensor(std::initializer_list<const char *> dims) {
    SmallVector<Expr> shape;
    for (const char *dim : dims)
      shape.push_back(*dim == '?' ? Expr() : expr(dim));
    return ir::tensorType(&context, shape, f32);
  }

  MLIRContext context;
  Type f32;
};

TEST_F(DialectTest, EqualShapesAreOneType) {
  EXPECT_EQ(tensor({"2 * n + 2", "4"}), tensor({"(n + 1) * 2", "2 + 2"}));
  EXPECT_NE(tensor({"n", "4"}), tensor({"m", "4"}));
  EXPECT_NE(tensor({"n", "4"}), tensor({"?", "4"}));
}

TEST_F(DialectTest, StaticAndUnknownShapesHaveNoEncoding) {
  EXPECT_EQ(tensor({"3", "4"}), RankedTensorType::get({3, 4}, f32));
  EXPECT_EQ(tensor({"?", "4"}), RankedTensorType::get({ShapedType::kDynamic, 4}, f32));
  EXPECT_EQ(tensor({}), RankedTensorType::get({}, f32));
}

TEST_F(DialectTest, ShapesAreReadBack) {
  ArrayRef<Expr> dims = ir::shapeOf(tensor({"2 * n", "4"}));
  ASSERT_EQ(dims.size(), 2u);
  EXPECT_EQ(dims[0], expr("n + n"));
  EXPECT_EQ(dims[1], expr("4"));
  dims = ir::shapeOf(tensor({"?", "4"}));
  EXPECT_FALSE(dims[0]);
  EXPECT_EQ(dims[1], expr("4"));
  EXPECT_EQ(ir::shapeText(tensor({"?", "n", "4"})), "[?, n, 4]");
}

TEST_F(DialectTest, NegativeSizesAreNeverStatic) {
  EXPECT_TRUE(tensor({"-1", "4"}).isDynamicDim(0));
  EXPECT_TRUE(tensor({"-9223372036854775808"}).isDynamicDim(0));
}

TEST_F(DialectTest, SubstitutionMakesDimensionsStatic) {
  EXPECT_EQ(ir::substitute(tensor({"2 * n", "m"}), {{"n", expr("3")}}), tensor({"6", "m"}));
  EXPECT_EQ(ir::substitute(tensor({"2 * n", "m"}), {{"n", expr("3")}, {"m", expr("1")}}),
            RankedTensorType::get({6, 1}, f32));
  // All at once: swapping two symbols is no loop.
  EXPECT_EQ(ir::substitute(tensor({"n", "2 * m"}), {{"n", expr("m")}, {"m", expr("n")}}),
            tensor({"m", "2 * n"}));
}

TEST_F(DialectTest, UnificationBindsPlainSymbolsAndChecksTheRest) {
  std::map<std::string, Expr> bindings;
  SmallVector<ir::DeferredDim> deferred;
  std::string message;
  // n + m is checked after both are bound, though it comes first.
  ASSERT_TRUE(succeeded(ir::unifyTypes(tensor({"n + m", "n"}), tensor({"k + 5", "k + 1"}), bindings,
                                       deferred, message)));
  EXPECT_TRUE(failed(ir::checkDeferred(deferred, bindings, message)));
  EXPECT_EQ(message, "nothing determines the symbols of m + n");
  ASSERT_TRUE(succeeded(ir::unifyTypes(tensor({"m"}), tensor({"4"}), bindings, deferred, message)));
  EXPECT_TRUE(succeeded(ir::checkDeferred(deferred, bindings, message))) << message;
  EXPECT_EQ(bindings.at("n"), expr("k + 1"));
  EXPECT_TRUE(failed(ir::unifyTypes(tensor({"m"}), tensor({"5"}), bindings, deferred, message)));
  EXPECT_EQ(message, "dimension 0: expected 4 (m), found 5");
  EXPECT_TRUE(
      failed(ir::unifyTypes(tensor({"m"}), tensor({"4", "1"}), bindings, deferred, message)));
}

TEST_F(DialectTest, CheckedBuildingReportsARuleInsteadOfAborting) {
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToEnd(module->getBody());
  Value x = tensor::EmptyOp::create(b, b.getUnknownLoc(), ArrayRef<int64_t>{3, 4}, f32);
  Value y = tensor::EmptyOp::create(b, b.getUnknownLoc(), ArrayRef<int64_t>{3, 5}, f32);
  std::string text;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  EXPECT_TRUE(failed(ir::createDeduced<ir::AddOp>(b, b.getUnknownLoc(), {x, y})));
  EXPECT_NE(text.find("relax.add: dimension 1 of lhs [3, 4] and dimension 1 of rhs [3, 5]"),
            std::string::npos)
      << text;
  FailureOr<ir::AddOp> sum = ir::createDeduced<ir::AddOp>(b, b.getUnknownLoc(), {x, x});
  ASSERT_TRUE(succeeded(sum));
  EXPECT_EQ(sum->getResult().getType(), x.getType());
  FailureOr<ir::SoftmaxOp> softmax = ir::createDeduced<ir::SoftmaxOp>(
      b, b.getUnknownLoc(), x, b.getNamedAttr("axis", b.getI64IntegerAttr(0)));
  ASSERT_TRUE(succeeded(softmax));
  EXPECT_EQ(softmax->getAxis(), 0);
  text.clear();
  EXPECT_TRUE(failed(ir::createDeduced<ir::SoftmaxOp>(
      b, b.getUnknownLoc(), x, b.getNamedAttr("axis", b.getI64IntegerAttr(2)))));
  EXPECT_NE(text.find("axis 2"), std::string::npos) << text;
}

TEST_F(DialectTest, RulesAskForNoDimensionThatIsNotThere) {
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToEnd(module->getBody());
  Value one = tensor::EmptyOp::create(b, b.getUnknownLoc(), ArrayRef<int64_t>{}, b.getI64Type());
  std::string text;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  EXPECT_TRUE(failed(ir::createDeduced<ir::SliceBoundsOp>(
      b, b.getUnknownLoc(), {one, one},
      {b.getNamedAttr("dims", ir::ShapeAttr::get(&context, {expr("n")})),
       b.getNamedAttr("steps", b.getDenseI64ArrayAttr({1}))})));
  EXPECT_NE(text.find("starts [] must have a dimension 0, the number of steps"), std::string::npos)
      << text;
}

TEST(BlockFormatTest, FieldsFillEachBlock) {
  MLIRContext context;
  context.loadDialect<ir::RelaxDialect>();
  ASSERT_EQ(ir::blockFormats().size(), 15u);
  for (const ir::BlockFormat &format : ir::blockFormats()) {
    SCOPED_TRACE(format.name);
    EXPECT_EQ(ir::findBlockFormat(&context, format.name), &format);
    EXPECT_EQ(format.packedBytes(256) % 16, 0);
    if (format.isPlain())
      continue;
    // Every bit of a block belongs to one field.
    std::vector<int> uses(static_cast<size_t>(8 * format.bytesPerBlock), 0);
    auto use = [&](int64_t byte, int64_t bit, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        ++uses[static_cast<size_t>(8 * byte + bit + i)];
    };
    use(format.scaleOffset, 0, 16);
    if (format.hasMinimum())
      use(format.minimumOffset, 0, 16);
    for (const ir::IntegerField *field : {&format.quants, &format.scales, &format.minimums})
      for (const ir::BitPlane &plane : field->planes)
        for (size_t j = 0; j < plane.byteOf.size(); ++j)
          use(plane.byteOf[j], plane.bitOf[j], plane.bits);
    EXPECT_EQ(llvm::count(uses, 1), 8 * format.bytesPerBlock);
  }
  EXPECT_EQ(ir::findBlockFormat(&context, "iq2_xxs"), nullptr);
}

TEST(BlockFormatTest, UsersMayAddFormats) {
  MLIRContext context;
  std::string text;
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diagnostic) { text += diagnostic.str() + "\n"; });
  const char *format = "// Two bits.\n{elements = 32, bytes = 10, scale = 0, quants = {planes = "
                       "[{bits = 2, at = affine_map<(j) -> (2 + j mod 8, j floordiv 8 * 2)>}], "
                       "offset = 1}}\n";
  ASSERT_TRUE(succeeded(ir::addBlockFormat(&context, "mine", format))) << text;
  const ir::BlockFormat *found = ir::findBlockFormat(&context, "mine");
  ASSERT_NE(found, nullptr);
  uint8_t block[10] = {};
  block[2 + 3] = 0b11'00'10'01; // Elements 3, 11, 19 and 27.
  EXPECT_EQ(found->quants.value(block, 3), 0);
  EXPECT_EQ(found->quants.value(block, 11), 1);
  EXPECT_EQ(found->quants.value(block, 27), 2);
  MLIRContext other;
  other.loadDialect<ir::RelaxDialect>();
  EXPECT_EQ(ir::findBlockFormat(&other, "mine"), nullptr);
  struct {
    const char *text, *part;
  } wrong[] = {
      {"3", "no dictionary"},
      {"{elements = 48, bytes = 10, scale = 0, quants = {planes = []}}", "multiple of 32"},
      {"{elements = 32, bytes = 10, scale = 9, quants = {planes = []}}", "from 0 to 8"},
      {"{elements = 32, bytes = 10, scale = 0}", "quants: found nothing"},
      {"{elements = 32, bytes = 10, scale = 0, width = 3}", "the key 'width'"},
      {"{elements = 32, bytes = 10, scale = 0, quants = {planes = [{bits = 2, at = affine_map<(j) "
       "-> "
       "(j, 0)>}]}}",
       "byte 10, bit 0 for index 10"},
      {"{elements = 64, bytes = 18, scale = 0, quants = {planes = [{bits = 2, at = affine_map<(j) "
       "-> "
       "(2 + j floordiv 4, j mod 4 * 2)>}]}}",
       "32 in a format without 'scales'"},
  };
  for (const auto &[record, part] : wrong) {
    text.clear();
    EXPECT_TRUE(failed(ir::addBlockFormat(&context, "wrong", record))) << record;
    EXPECT_NE(text.find(part), std::string::npos) << record << ": " << text;
  }
  EXPECT_TRUE(failed(ir::addBlockFormat(&context, "q4_k", format)));
}

} // namespace
