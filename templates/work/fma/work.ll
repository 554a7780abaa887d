; work_amount blocks of eight dependent FMAs.
define internal void @{{r}}_work() alwaysinline {
begin:
  %given = load float, ptr @chain
  %blocks = load i32, ptr @work_amount
  %none = icmp eq i32 %blocks, 0
  br i1 %none, label %worked, label %block
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
  %more = icmp ult i32 %next, %blocks
  br i1 %more, label %block, label %worked, !llvm.loop !0
worked:
  %last = phi float [ %given, %begin ], [ %h, %block ]
  store float %last, ptr @chain
  ret void
}
