//===- SearchOps.td - order and selection; sizes that depend on values -----------------------===//
//
// Order: ascending, or descending where an op says so. Equal elements keep their order (sorting is
// stable). NaN is behind every number, in both directions; -0 equals +0.
//
// Ops whose results have as many elements as values say introduce a symbol for that number, which
// their attribute `symbol` names; its bounds follow from the operands' shapes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_SEARCH_OPS_TD
#define RELAX_SEARCH_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_SortOp : Relax_DeducedOp<"sort"> {
  let summary = "The elements along an axis in order";
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       UnitAttr:$descending);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ArgsortOp : Relax_DeducedOp<"argsort"> {
  let summary = "The positions along an axis of the elements in order";
  let description = "x [n, m] along axis 1 gives i64 [n, m]: take of row i by them is sorted.";
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       UnitAttr:$descending);
  let results = (outs Relax_Tensor:$result);
}

def Relax_TopkOp : Relax_CheckedOp<"topk"> {
  let summary = "The k largest elements along an axis, in descending order, and where they are";
  let description = [{
    `relax.topk %x {k = #relax.expr<k>}`: x [n, m] gives values [n, k] and i64 positions [n, k]; k is
    an expression over the function's symbols, and at most m. With `smallest`, the k smallest in
    ascending order. Of equal elements the first is taken first.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ExprAttr:$k, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       UnitAttr:$smallest);
  let results = (outs Relax_Tensor:$values, Relax_Tensor:$indices);
}

def Relax_UniqueOp : Relax_DataDependentOp<"unique"> {
  let summary = "The different elements of a tensor, in order";
  let description = [{
    x of any shape gives [u]; each NaN is different from every other. With `inverse`, a further
    result of x's shape, i64: where each element of x is in the first. With `counts`, a further
    result [u], i64: how often each element occurs.
  }];
  let arguments = (ins Relax_Tensor:$x, StrAttr:$symbol, UnitAttr:$inverse, UnitAttr:$counts);
  let results = (outs Variadic<Relax_Tensor>:$results);
}

def Relax_NonzeroOp : Relax_DataDependentOp<"nonzero"> {
  let summary = "Where the elements are that aren't zero";
  let description = [{
    x of rank r gives i64 [r, u]: a column for each such element, in row-major order. NaN isn't zero.
  }];
  let arguments = (ins Relax_Tensor:$x, StrAttr:$symbol);
  let results = (outs Relax_Tensor:$result);
}

def Relax_MaskedSelectOp : Relax_CheckedDataDependentOp<"masked_select"> {
  let summary = "The elements at which a mask holds";
  let description = "x and mask (i1) of one shape give [u], in row-major order.";
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$mask, StrAttr:$symbol);
  let results = (outs Relax_Tensor:$result);
}

def Relax_NonMaxSuppressionOp : Relax_CheckedDataDependentOp<"non_max_suppression"> {
  let summary = "Boxes of high score that don't overlap others of higher score";
  let description = [{
    boxes [b, s, 4] and scores [b, c, s] give i64 [u, 3]: batch, class and box, by batch, by class,
    by descending score. Of each batch and class at most max_output_boxes_per_class boxes are kept
    (0: none), those with a score above score_threshold whose intersection over union with every box
    kept before is at most iou_threshold. A box is y1, x1, y2, x2 (any two opposite corners), or with
    center_point_box x, y of its centre, width, height. ONNX's NonMaxSuppression.
  }];
  let arguments = (ins Relax_Tensor:$boxes, Relax_Tensor:$scores, StrAttr:$symbol,
                       DefaultValuedAttr<I64Attr, "0">:$max_output_boxes_per_class,
                       DefaultValuedAttr<F64Attr, "0.0">:$iou_threshold,
                       OptionalAttr<F64Attr>:$score_threshold, UnitAttr:$center_point_box);
  let results = (outs Relax_Tensor:$result);
}

def Relax_TopPFilterOp : Relax_DataDependentOp<"top_p_filter"> {
  let summary = "The fewest elements whose sum reaches p: the nucleus of a distribution";
  let description = [{
    Probabilities x [n] give values [u] in descending order and i64 positions [u]: the shortest
    beginning of the sorted probabilities whose sum, added up in that order in x's precision (at
    least float32), is at least p; all of them if none is. At least one where n is at least 1.
  }];
  let arguments = (ins Relax_Tensor:$x, StrAttr:$symbol, F64Attr:$p);
  let results = (outs Relax_Tensor:$values, Relax_Tensor:$indices);
}

def Relax_SearchsortedOp : Relax_DeducedOp<"searchsorted"> {
  let summary = "Where values belong in a sorted vector";
  let description = [{
    sorted [n], ascending, and values of any shape give i64 of that shape: the number of elements of
    sorted that are less than the value; with `right`, those that are not greater.
  }];
  let arguments = (ins Relax_Tensor:$sorted, Relax_Tensor:$values, UnitAttr:$right);
  let results = (outs Relax_Tensor:$result);
}

def Relax_BincountOp : Relax_DeducedOp<"bincount"> {
  let summary = "How often each number occurs";
  let description = [{
    Integers of any shape, all in [0, length), give i64 [length]. A number outside is a run-time error.
    `relax.bincount %x {length = #relax.expr<n>}`.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ExprAttr:$length);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_SEARCH_OPS_TD
