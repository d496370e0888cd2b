pdl.pattern : benefit(1) {
  %claim = pdl.attribute = {function = "f", when = {x7_0 = 1}}
  %x = pdl.operand
  %result = pdl.type
  %root = pdl.operation "relax.relu"(%x : !pdl.value) -> (%result : !pdl.type)
  pdl.rewrite %root {
    pdl.apply_native_rewrite "ClaimLibrary"(%root, %x, %claim : !pdl.operation, !pdl.value, !pdl.attribute)
  }
}
