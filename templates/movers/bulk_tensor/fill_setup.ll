; The copies read one of {{payload_period}} images of a slot in global memory, or one of so many tiles of a stream's
; data: number i begins at {{tile_step}} i of the outermost dimension.
{{> images}}
{{> first_image}}
{{> next_image}}
@{{r}}_image = internal thread_local global i32 0
@{{r}}_policy = internal thread_local global i64 0
@{{r}}_copies = internal thread_local global i1 false
define internal void @{{r}}_fill_setup(ptr %pb) alwaysinline {
  call void @{{r}}_images(ptr %pb)
  %base = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{payload_offset}}
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  call void @{{r}}_first_image()
{{^is.prefetch.off}}
  %map = load ptr, ptr @tile_map
  call void @llvm.nvvm.prefetch.tensormap.p0(ptr %map)
{{/is.prefetch.off}}
{{^is.l2_hint.none}}
  ; There is no intrinsic.
  %policy = call i64 asm "createpolicy.fractional.L2::{{l2_hint}}.b64 $0, 1.0;", "=l"()
  store i64 %policy, ptr @{{r}}_policy
{{/is.l2_hint.none}}
{{#is.issue.elect_once}}
  %elected = call i1 @{{r}}_elect()
  store i1 %elected, ptr @{{r}}_copies
{{/is.issue.elect_once}}
  ret void
}
define internal i1 @{{r}}_elect() alwaysinline {
  %pair = call { i32, i1 } @llvm.nvvm.elect.sync(i32 u{{lane_mask}})
  %elected = extractvalue { i32, i1 } %pair, 1
  ret i1 %elected
}
