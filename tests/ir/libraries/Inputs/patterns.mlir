// The softmax of a user's library, for f32 of equal shapes; it must be there.
pdl.pattern @softmax : benefit(1) {
  %claim = pdl.attribute = {function = "mine.softmax", required}
  %type = pdl.attribute = "f32"
  %x = pdl.operand
  pdl.apply_native_constraint "ElementType"(%x, %type : !pdl.value, !pdl.attribute)
  %result = pdl.type
  %root = pdl.operation "relax.softmax"(%x : !pdl.value) -> (%result : !pdl.type)
  pdl.rewrite %root {
    pdl.apply_native_rewrite "ClaimLibrary"(%root, %x, %claim : !pdl.operation, !pdl.value, !pdl.attribute)
  }
}
