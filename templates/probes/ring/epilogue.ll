; What a kernel does with a result: {{epilogue_blocks}} blocks of eight dependent FMAs.
define internal void @{{r}}_epilogue() alwaysinline {
begin:
  %given = load float, ptr @chain
  br label %block
block:
  %number = phi i32 [ 0, %begin ], [ %next, %block ]
  %chain = phi float [ %given, %begin ], [ %h, %block ]
  %a = call float @llvm.fma.f32(float %chain, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %b = call float @llvm.fma.f32(float %a, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %c = call float @llvm.fma.f32(float %b, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %d = call float @llvm.fma.f32(float %c, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %e = call float @llvm.fma.f32(float %d, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %f = call float @llvm.fma.f32(float %e, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %g = call float @llvm.fma.f32(float %f, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %h = call float @llvm.fma.f32(float %g, float 0x3FEFFE0000000000, float 0x3F40000000000000)
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, {{epilogue_blocks}}
  br i1 %more, label %block, label %done, !llvm.loop !0
done:
  store float %h, ptr @chain
  ret void
}
