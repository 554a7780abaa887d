{{#is.roles.specialized}}
; The producers of one CTA and the consumers of the other take part; the rest waits for the end.
@elsewhere = internal thread_local global i1 false
define internal void @ranks() alwaysinline {
  %role = call i32 @uniform_role()
  %produces = icmp eq i32 %role, 1
  %first = load i32, ptr @first_rank
  %second = load i32, ptr @second_rank
  %own = select i1 %produces, i32 %first, i32 %second
  %peer = select i1 %produces, i32 %second, i32 %first
  store i32 %peer, ptr @peer
  %cta = load i32, ptr @cta
  %elsewhere = icmp ne i32 %cta, %own
  store i1 %elsewhere, ptr @elsewhere
  %now = select i1 %elsewhere, i32 0, i32 %role
  store i32 %now, ptr @role
  ret void
}
{{/is.roles.specialized}}
