// Turns products with stored weights into contractions that compute on the stored form.
//
// Before:  %b = relax.constant #relax.weight<"w", …> : tensor<576x360xi8>
//          %w = relax.dequantize %b {format = "q4_1"} : (…) -> tensor<576x576xf32>
//          %y = relax.matmul %x, %w {transpose_b} : (…) -> tensor<?x576xf32, #relax.shape<[t,
//          576]>>
//
// After (mode int8):
//          %p = relax.pack_weights %b {format = "q4_1"} : …
//          %q, %d, %s = relax.quantize_activations %x {planes = 1} : …
//          %y = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 576} : …
//
// Modes: int8 quantises activations to 8 bits per 32 elements; int16 adds a second plane of 8 bits
// with the residual; float32 decodes the weights instead (relax.packed_matmul). A product marked
// `relax.precise` takes the second plane in mode int8 too: models mark their output head. Weights
// that are floats themselves (f32, f16, bf16) take the float32 way in every mode: there is no
// integer product to be had. One mode holds for all sizes of t, so that a row's result doesn't
// depend on how many rows are computed with it.
//
// A product of two planes of which only the likeliest are wanted (relax.likeliest) becomes the four
// programs of ops/LikeliestOps.td, where the format has high and low halves and there are many
// rows. Elsewhere all of its elements are computed, which is right, too.
//
// This runs before legalisation and fusion: once decoding is merged into a contraction's body,
// recognising it would mean matching long loop nests. Not claimed, and left as they are: weights
// that aren't constants, right sides that aren't transposed, activations of rank other than 2.
// Test: tests/ir/transforms/claim-contractions.mlir

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/LikeliestOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace relax::transforms {
namespace {

enum class Mode { Int8, Int16, Float32 };

struct ClaimMatmul : OpRewritePattern<ir::MatmulOp> {
  ClaimMatmul(MLIRContext *context, Mode mode) : OpRewritePattern(context), mode(mode) {}

  LogicalResult matchAndRewrite(ir::MatmulOp op, PatternRewriter &rewriter) const override {
    auto decode = op.getB().getDefiningOp<ir::DequantizeOp>();
    if (!decode || !op.getTransposeB() || !decode.getBytes().getDefiningOp<ir::ConstantOp>())
      return failure();
    auto x = cast<RankedTensorType>(op.getA().getType());
    if (x.getRank() != 2 || !x.getElementType().isF32())
      return failure();
    const ir::BlockFormat *format = ir::findBlockFormat(op.getContext(), decode.getFormat());
    auto weights = cast<RankedTensorType>(decode.getType());
    if (!format || !weights.hasStaticShape() || x.getDimSize(1) != weights.getDimSize(1))
      return failure();

    Location loc = op.getLoc();
    int64_t rows = weights.getDimSize(0);
    StringAttr name = decode.getFormatAttr();
    IntegerAttr rowsAttr = rewriter.getI64IntegerAttr(rows);
    Value packed = ir::PackWeightsOp::create(rewriter, loc, decode.getBytes(), name);
    if (mode == Mode::Float32 || format->isPlain()) {
      rewriter.replaceOpWithNewOp<ir::PackedMatmulOp>(op, op.getA(), packed, name, rowsAttr);
      return success();
    }
    bool twoPlanes = mode == Mode::Int16 || op->hasAttr("relax.precise");
    auto quantized = ir::QuantizeActivationsOp::create(
        rewriter, loc, op.getA(), rewriter.getI64IntegerAttr(twoPlanes ? 2 : 1));
    rewriter.replaceOpWithNewOp<ir::QuantizedMatmulOp>(op, quantized.getValues(),
                                                       quantized.getScales(), quantized.getSums(),
                                                       packed, name, rowsAttr);
    return success();
  }

  Mode mode;
};

/// With fewer rows, bounds cost what they save: measured with SmolLM2's 49,152.
constexpr int64_t manyRows = 65536;

/// The product has been claimed before, and nothing else needs it.
struct ClaimLikeliest : OpRewritePattern<ir::LikeliestOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::LikeliestOp op, PatternRewriter &rewriter) const override {
    auto product = op.getLogits().getDefiningOp<ir::QuantizedMatmulOp>();
    if (!product || !product->hasOneUse())
      return failure();
    auto pack = product.getPacked().getDefiningOp<ir::PackWeightsOp>();
    const ir::BlockFormat *format = ir::findBlockFormat(op.getContext(), product.getFormat());
    auto planes = cast<RankedTensorType>(product.getValues().getType());
    if (!pack || !format || !ir::hasHalves(*format) ||
        static_cast<int64_t>(product.getRows()) < manyRows || planes.getDimSize(1) != 2 ||
        planes.getDimSize(2) == 0)
      return failure();
    Location loc = op.getLoc();
    Value values = product.getValues(), scales = product.getScales(), sums = product.getSums();
    Value counts = op.getCounts();
    StringAttr name = product.getFormatAttr();
    IntegerAttr rows = product.getRowsAttr();
    auto split = ir::PackWeightsOp::create(rewriter, loc, pack.getBytes(), name);
    split->setAttr(ir::splitAttr, rewriter.getUnitAttr());
    auto terms = ir::LikeliestTermsOp::create(rewriter, loc, values, scales, sums, counts);
    auto bounds = ir::LikeliestBoundsOp::create(rewriter, loc, values, scales, sums, counts,
                                                terms.getTerms(), split, name, rows);
    auto threshold = ir::LikeliestThresholdOp::create(rewriter, loc, values, scales, sums, counts,
                                                      bounds.getEstimates(), split, name, rows);
    rewriter.replaceOpWithNewOp<ir::LikeliestMatmulOp>(
        op, values, scales, sums, counts, terms.getTerms(), terms.getOrder(), bounds.getUpper(),
        threshold.getThreshold(), split, name, rows);
    rewriter.eraseOp(product);
    return success();
  }
};

struct ClaimContractions : PassWrapper<ClaimContractions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClaimContractions)
  ClaimContractions() = default;
  ClaimContractions(const ClaimContractions &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "relax-claim-contractions"; }
  StringRef getDescription() const override {
    return "Turn products with stored weights into contractions on the stored form";
  }
  void runOnOperation() override {
    Mode selected;
    if (mode == "int8") {
      selected = Mode::Int8;
    } else if (mode == "int16") {
      selected = Mode::Int16;
    } else if (mode == "float32") {
      selected = Mode::Float32;
    } else {
      getOperation().emitError("unknown mode '") << mode << "'; expected int8, int16 or float32";
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<ClaimMatmul>(&getContext(), selected);
    patterns.add<ClaimLikeliest>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  Option<std::string> mode{*this, "mode", llvm::cl::desc("activations: int8, int16 or float32"),
                           llvm::cl::init("int8")};
};

} // namespace

std::unique_ptr<Pass> createClaimContractionsPass(StringRef mode) {
  auto pass = std::make_unique<ClaimContractions>();
  pass->mode = mode.str();
  return pass;
}

} // namespace relax::transforms
