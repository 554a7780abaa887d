; Each warp that shares a slot has its part of it, and of the image of its item.
{{> source}}
{{> first_source}}
@{{r}}_policy = internal thread_local global i64 0
@{{r}}_copies = internal thread_local global i1 false
define internal void @{{r}}_fill_setup(ptr %pb) alwaysinline {
  %rank = load i32, ptr @rank
  %part = lshr i32 %rank, 5
  %own = mul i32 %part, {{fill_bytes}}
  %offset = add i32 %own, {{payload_offset}}
  %place = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %base = call ptr addrspace(3) @kept(ptr addrspace(3) %place)
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  call void @{{r}}_source_images(ptr %pb)
  %images = load ptr addrspace(1), ptr @{{r}}_source_base
  %first = getelementptr i8, ptr addrspace(1) %images, i32 %own
  store ptr addrspace(1) %first, ptr @{{r}}_source_base
  call void @{{r}}_first_source()
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
