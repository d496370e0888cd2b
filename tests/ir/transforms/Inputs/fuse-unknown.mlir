pdl.pattern : benefit(1) {
  %x = pdl.operand
  pdl.apply_native_constraint "Claimable"(%x : !pdl.value)
  %result = pdl.type
  %root = pdl.operation "relax.relu"(%x : !pdl.value) -> (%result : !pdl.type)
  pdl.rewrite %root with "Fuse"(%x : !pdl.value)
}
