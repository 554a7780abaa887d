; The verb that is timed, of one slot.
@{{role}}_answers = internal thread_local global i1 false
define internal void @{{r}}_one(i32 %slot) alwaysinline {
{{#is.verb.acquire}}
  call void @{{r}}_acquire(i32 %slot)
{{/is.verb.acquire}}
{{#is.verb.commit}}
  call void @{{r}}_commit(i32 %slot)
{{#completes}}
  call void @{{r}}_wait(i32 %slot)
{{/completes}}
{{/is.verb.commit}}
{{#is.verb.wait}}
  call void @{{r}}_wait(i32 %slot)
{{/is.verb.wait}}
{{#is.verb.release}}
  call void @{{r}}_release(i32 %slot)
{{#completes}}
  call void @{{r}}_acquire(i32 %slot)
{{/completes}}
{{/is.verb.release}}
{{#is.verb.try_acquire}}
  call void @{{r}}_try_acquire(i32 %slot, i32 0, i32 0, i1 false)
{{/is.verb.try_acquire}}
{{#is.verb.try_wait}}
  call void @{{r}}_try_wait(i32 %slot, i32 0, i32 0, i1 false)
{{/is.verb.try_wait}}
{{#tries}}
  ; A try without a use would be left out.
  %before = load i1, ptr @{{role}}_answers
  %token = load i1, ptr @{{token}}
  %both = xor i1 %before, %token
  store i1 %both, ptr @{{role}}_answers
{{/tries}}
{{#answers}}
  ; The next try depends on this one's answer.
  %zero = load i32, ptr @zero
  %parity = load i32, ptr @{{parity}}
  %tied = xor i32 %parity, %zero
  %next = select i1 %token, i32 %tied, i32 %parity
  store i32 %next, ptr @{{parity}}
{{/answers}}
  ret void
}
