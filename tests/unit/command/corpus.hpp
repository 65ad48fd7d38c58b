// Lines that were generated once and are kept: each is understood, and what it
// runs is judged (tracer_test.cpp). They name only the stubs of LineGrammar.
#pragma once

#include <string_view>

namespace toolhost::command::testing {

// clang-format off
constexpr std::string_view kCorpus[] = {
R"L(build $(nice -n 3 no1 'b c'))L",
R"L(! command ok2 -x | ok3 {1..3} "`build 'file.txt'`" $(no2 -x 2> err); 'build')L",
R"L(env A=1 -u B deploy -x || ok1 $(( (2) * 3 )) file.txt'q'"r"file.txt `check %d`)L",
R"L(nice -n 3 build -x & no2 "pre $({ no1; }) post" & deploy >'odd name' | env A=1 -u B ok1 a)L",
R"L(x='a b' no1 "pre $(! ok2) post" <(x=$y) "`ok1 '-x'`" >'odd name';
eval 'build ev')L",
R"L("ok3" @ %d'q'"r"%d;
x='a b' ok1 "`build 'x=y'`"||sh -c 'no1 a; build b')L",
R"L(command build -x |& no2 %d'q'"r"%d "`check '-x'`" > out1 || ok1 $(deploy @ | no2 |& x=$y) "pre $(check '(' && no1 | ok2 "b1\"b1" "-x\"-x" ${y:-$(build a'q'"r"a $(( (2) * 3 )) a,b)}|ok1) post")L",
R"L(! x=1 deploy "a\"a" <<-'E2' & ok1 *.c "a b" "b1\"b1" &> both || no1 < in
	text $x 'one "two
$(check) `ok1 in`
	E2
)L",
R"L(deploy "`build 'b1'`" && ok1 '#' %d "`deploy '@'`" & ok3 $x|deploy "pre $(no2 ${y:-$("deploy" %d \# -x)}) post" && ! ok3 'a b')L",
R"L(check 2>&1)L",
R"L(no2
no2 `ok2 a,b` $(no2 b1 <(check "$?" $'\x41')) b1'q'"r"b1 & ok2 >>out2)L",
R"L(ok2 \$x; exec ok3 'b c' |& for i in a 'b c' $x; do time (ok1 2>&1|build) > sub; x=$(ok1) no2 "1\"1" |& x=$(ok1) ok3; done;
deploy 1)L",
R"L(exec no1 -x)L",
R"L(ok3 |& check "pre $(x=$(ok1) no1 file.txt a) post" a,b ${y:-$(b'uild' [ab] \$x)} # note 'x
ok3 >'odd name')L",
R"L(no2 {a,b} b1&&for ((i=0;i<2;i++)); do ! sh -c 'no2 a; no2 b' || check $((1+2))
(d'eploy' a,b'q'"r"a,b && deploy x=y {1..3}) > sub||while no1 w; do x=1 ok1; done; done)L",
R"L(ok2 | deploy "`check 'a,b'`" a?b)L",
R"L(for ((i=0;i<2;i++)); do no2 "'" <(echo $(( (2) * 3 )) $'\x41' >'odd name') # note 'x
x=1 x=5 & ! y+=z ok2 $(ok3 "x=y\"x=y" -x) $(x=1 build "'" 1'q'"r"1 b1 || ok1 %d |& ok2 "a b" "%d\"%d" \;); done & 'build' $(build -x "\$y"))L",
R"L(ok3 "pre $(no2 ${y:-$(ok1 --long=v file.txt'q'"r"file.txt a,b)} ${y:-$(check 1 @ ${x})}) post" & ok2 2>&1||check "$?" ${y:-$('no1' $(( (2) * 3 )))}
no1 b1||timeout 5 no2 -x)L",
R"L(time d'eploy'
check "$@" %d a,b'q'"r"a,b >'odd name'
ok1 "$x" <(c'heck' file.txt ${x} "$?") "pre $(no1 $(check "1\"1") `no2 file.txt` $(x='a b' ok1 |& ok3 > out1) || y+=z ok1) post")L",
R"L(no1 "%d\"%d" || printf && (deploy `no1 1` '|' '$x') > sub|build $(deploy $((1+2)) 2> err) ${x} <(ok1 '#' a'q'"r"a "%d\"%d")|\check `check --long=v` a,b `check -x`)L",
R"L(check <(echo @ x=y) $'a\tb'|env check -x & ok1 `deploy 1` ${y:-$(deploy a {a,b} a <<< \$x)} '"' & command ok1 'b c')L",
R"L(no2&&nohup ok1 -x; while no1 w; do while no1 w; do ok2 a,b|'check' \# b1; done;
ok3 "a;b" a,b; done||true b1'q'"r"b1; check <(deploy) <(check 1 @) "--long=v\"--long=v" >'odd name')L",
R"L(! for ((i=0;i<2;i++)); do ! check "file.txt\"file.txt"
! build&&timeout 5 ok1 a; done && build $(no1 "file.txt\"file.txt" &> both) $(ok2) b1 | no1 <(x=1 : "$x") "1\"1" <(check @ '"'))L",
R"L(nice -n 3 deploy 'b c'|x='a b' build {1..3} a,b && build @;
arr=(a b $x) | nice -n 3 no1 'b c' && build "`ok3 '1'`" --long=v | ok2)L",
R"L(check;
check
build)L",
R"L(check x=y "pre $(no2 ${x:-d} <(x=1 ok1 a'q'"r"a x=y "\$y")) post" a?b||no2 *.c "pre $(deploy $((1+2)) $(x=1 ok2 "b1\"b1" ${y:-$(deploy "a\"a" {a,b})} ${y:-$(no1 <<< '`no`')}|command ok3 'b c') --long=v) post" ${x})L",
R"L(no1 a `deploy x=y`||check <(y+=z check 1'q'"r"1 @'q'"r"@) | sh -c 'ok3 a; ok1 b')L",
R"L(while no1 w; do ok3 b1 "`no1 '1'`" < in & ! x='a b' check |& for i in a 'b c' $x; do no2 < in; done; done)L",
R"L((\build "pre $(ok2 "pre $(no2) post" "$@" 2> err) post" b1'q'"r"b1 \#) > sub)L",
R"L((no1 ${y:-$(ok3 "1\"1" -x ${#x})} --long=v'q'"r"--long=v) |& deploy "$@" @'q'"r"@ $(test))L",
R"L(echo a | xargs ok2 a # note 'x
ok1 $((x + 1)) "--long=v\"--long=v" <(no1 1 file.txt %d)|if [[ $x == a* && -n b ]]; then no1 "pre $(build \; $x) post" b1 x=y||:; fi)L",
R"L(case $x in a|'b') ok3 `build x=y` "--long=v\"--long=v";; *) ok3 c;; esac
time check "\$y" -x "pre $(check \;) post" & ! ok3 %d @ | no2)L",
R"L(! (no1 $'a\tb' >>out1 & ! y+=z deploy 1 "pre $(check) post" && (! ok2 < in) > sub|'ok3' "`deploy 'a'`") > sub)L",
R"L("ok2" $((x + 1)) $(f() { check `check b1` <(o'k2' a,b "file.txt\"file.txt" $((x + 1)) >'odd name')
build "x=y\"x=y"
time x=5; }; f b1) ${#x};
for ((i=0;i<2;i++)); do no2&&for ((i=0;i<2;i++)); do test "--long=v\"--long=v" 1; done; done;
env ok2 -x)L",
R"L(if [[ ! ( a < b ) ]] && 'no2' x=y $?; then x=$(ok1) echo -x'q'"r"-x; fi)L",
R"L(ok3 $(build @ "pre $(for ((i=0;i<2;i++)); do check "\$y" b1'q'"r"b1; done) post") $'\x41')L",
R"L(for ((i=0;i<2;i++)); do while no1 w; do { no1; }
no2 | test $(( (2) * 3 )) {1..3}
check file.txt; done&&ok1 "`no2 'a,b'`" $(no1 $(no1 ${x} "a b" --long=v) <(b'uild' "b1\"b1" < in) b1) <(x=$y); done; ok2)L",
R"L(ok2 # note 'x
while no1 w; do no1 $(deploy) "pre $(arr=(a b $x)) post" 1;
test "1\"1" $((x + 1)) 2>&1 |& build & ok2; done |& case $x in a|'b') if [[ "$(ok1 t)" = z ]]; then build; fi;; *) deploy c;; esac | ok2|no2 1 %d)L",
R"L(deploy; ok3 {a,b} "pre $(no1 $(true) && ! : "pre $(build file.txt'q'"r"file.txt "x=y\"x=y") post" $(( (2) * 3 ))) post";
x=5)L",
R"L(ok3 a,b *.c;
test
x=5 | nice -n 3 deploy a)L",
R"L(no2 '#' 2>&1 # note 'x
nohup ok2 a&&{ y+=z no1 a,b'q'"r"a,b $'a\tb' | x='a b' no2|no2 `no1 file.txt`; })L",
R"L(check $((x + 1)) file.txt||while no1 w; do if [[ $x == a* && -n b ]]; then ok3 $(check 1 '$x') 1 `no2 x=y` |& echo a | xargs deploy -x |& : x=y; fi; check '"'; done;
b'uild')L",
R"L(no2 $(ok2 "pre $(\ok2 "pre $(check) post" || no2) post") \;;
for ((i=0;i<2;i++)); do env A=1 -u B ok3 -x && ok3 "`build '1'`" ${y:-$(ok2 a "a b" 2> err)} ${y:-$(no2 a,b a,b'q'"r"a,b %d)} & printf; done)L",
R"L((ok2;
env ok2 -x) > sub |& printf <(\no1 $(( (2) * 3 )) "\$y" a)||exec check 'b c')L",
R"L(ok1 "$@" ${y:-$(deploy '"' x=y)};
! no2 `no1 b1` $(( (2) * 3 )) 1 |& nohup no2 -x)L",
R"L(ok3 b1 $(( (2) * 3 )))L",
R"L(no1 ${y:-$('ok3' file.txt $((1+2)) x=y)} "pre $(n'o2' `deploy a,b`) post" >>out1 || no1 # note 'x
o'k3' |& build |& (check `build --long=v`))L",
R"L((ok2|case $x in a|'b') y+=z no2 > out0 & 'ok2' \; $((1+2)) # note 'x
build b1;; *) no2 c;; esac |& build a,b)||ok3 $? '#' >'odd name' | ok3 &> both||for ((i=0;i<2;i++)); do y+=z deploy $((1+2)) *.c; done|build $'a\tb' a,b -x'q'"r"-x)L",
R"L({ 'ok2' "pre $('ok3' file.txt "a,b\"a,b") post"; } | timeout 5 ok2 'b c')L",
R"L(y+=z no2 "pre $(deploy $# `no2 -x`) post" < in;
ok1; { no2 {1..3} <<E17&&nice -n 3 check a; build || no1 "$?" & ! y+=z check 1'q'"r"1 |& 'no2' \#
text $x 'one "two
$(check x=y) `ok1 in`
E17
})L",
R"L(ok3 %d ${x:-d} 1'q'"r"1 # note 'x
check b1 `check @` $(ok1 "%d\"%d"))L",
R"L(\deploy -x -x
exec build -x & while no1 w; do trap 'deploy t' EXIT; done || : `ok1 file.txt` a?b "`no2 '1'`" 2>&1|ok2 a,b'q'"r"a,b -x <<E21 || \ok2 b1 >'odd name'&&: <(ok3 a {a,b} --long=v >>out2) <(build file.txt)
text $x 'one "two
$(build) `ok1 in`
E21
)L",
R"L(build; (echo ${y:-$(deploy a?b)} file.txt "pre $(check|ok2 $# {a,b} "@\"@") post" & x=1 'ok1') > sub; ok2 -x $(( (2) * 3 )))L",
R"L(deploy "$?" 'a b'
{ arr=(a b $x) |& ok3 ${y:-$(no2 < in)} $'a\tb' ${#x} & x='a b' ok2 'a b' || build b1'q'"r"b1 file.txt \$x; } |& nohup no1 a)L",
R"L(ok1 "pre $(! test ${y:-$(\no1 "$?" file.txt)} --long=v $(( (2) * 3 ))) post" {1..3} "a b")L",
R"L(deploy "`no2 'file.txt'`" a\ b <<E22
text $x 'one "two
$(no2 @) `ok1 in`
E22
)L",
R"L(no2&&build -x'q'"r"-x||(f() { ok2 1 1'q'"r"1 "$@"
x=1 ok1 a{,b}
no1 a{,b}||deploy; }; f "a;b" || no1 & while no1 w; do deploy "'" b1 1&&ok3 <<'E23'|\deploy {a,b} '$x' $'a\tb'
text $x 'one "two
$(no1 @'q'"r"@ '(') `ok1 in`
E23
done) > sub; time build 2> err)L",
R"L(true a,b'q'"r"a,b \$x a'q'"r"a)L",
R"L(no2 && nohup no1 -x&&build file.txt `deploy @` "pre $(echo a | xargs ok3 -x|deploy) post")L",
R"L(sh -c 'deploy a; build b'&&! no1 "`build 'b1'`" '(' "pre $(nohup check 'b c') post"; o'k1' "x=y\"x=y" & x=$(ok1) check)L",
R"L(3uild %d $(! b'uild' ${y:-$(deploy \; 'a\tb')} *.c 2>&1 && check file.txt && c'heck' 1  "pre $(nice -n 3 ok1 'b c'|build | command no2 a&&ok2 "a b" a{,b}) post" $'a\tb') a
ok1 1;
x=$(ok1) okb)L",
R"L(y+=z check <(ok3) "'"|while no1 w; do ok2 "`no2 '--lon=v'`" ${y-:$(deploy)}; (ok3 1 "a b") # note 'x
ok3 %d `check -x` |& nice -n 3 no1 'b c'; done & x=5
no2 a,b "b1\"b1")L",
R"L(ok2 `build a,b` $(no1 <(ok2 "--long=v\"--long=v" "\$y" {a,b}) <(check "(|@)" $# @)) <<E1
text $x 'one "two
$(no1 \; 1'q'"r"1 $((x + 1))) `ok1 in`
E1
)L",
R"L(nohp no1 'b c'|'ok1' >>out2)L",
R"L("check" x=y'q'"r"x=y *.c # note 'x
(time true # note 'xx
x=1 no2&&ok2 --long=v'q'"r"--long=v # note 'x
! build a'q'"r"a) > sub # note 'x
: file.txt \; `ok3 b1`)L",
R"L(f() { ! x='a b' check <(check $'\x41') |& biuld "pre $(ok3 a {a,b}) post" b1'q'"r"b1 &> both # note 'x
no1 @; }; f "a;b"; ! nohup ok2 -x)L",
R"L(check|printf $# && (arr=(a b $x)) > sub & x=5)L",
R"L(y+=z 'ok1' <(check file.txt ${x} file.txt); eval 'ok1 ev'||ech oa | xargs ok3 a)L",
R"L(case $x in a|'b') time (check {1..3})&&build $(ok3 "(|)" b1 "pre $'(ok3) post") # note 'x
! ok2 file.txt '"' "\$y"
(printf&&deploy);; *) ok1 c;; esac # note 'x
echo; time no2 a)L",
R"L(ho)L",
R"L(! ok2;
f() { for i in a 'b c' $x; do no2 *.c a,b; done
deploy {#x}&&"no1" file.txt ${x} "@\"@"; }; f ${x} | case $x in a|'b') ok2 |& find . -maxdepth 0 -exec check {} \; & x=5 |& check "x=y\"x=y";; *) check c;; esac|no2 <<< ${#x})L",
R"L(! while no1 w; do command deploy a
build "\$y" $((x + 1)) <<< -x;
find . -maxdeepth 0 -exec build {} \; |& eval 'ok2 ev'; done |& \check $((x + 1)) ${y:-$(no1 x=y'q'"r"x=y '(' <<< -x)})L",
R"L((check < in
deploy '#' 2>&1&&for ((i=0;i<2;i++)); do ook2 "x=y\"x=y" '`no`' *.c; done) > sb)L",
R"L(! { ok2 ${y:-$(no1 >>out2)} '(' # note 'x
ok1 || !! timeout 5 ok3 'bb c'; } # note 'x
x=5)L",
R"L(for i in a 'b c' $x; do build "$@"
(build) > subb; no2 1; done)L",
R"L(x=5
ok3||ok3 "\$y" "`ok 2'--long=v'` "a{,b} |& build
echo a | xargs -I{} no1 {} y|ok1 a "1\"1" <(ok3 $((1+2)) {a,b} "--long=v\"--long=v"))L",
R"L(exec ok2 -x|while no1 w; do find . -maxdepth 0 -exec check{ } \;; done # note 'x
check $(f() { no2 2 >err&&no2 {a,b} "(|)"; }; f {1..3}); timeout 5 env no1 -x)L",
R"L(ok2 "pre $(check "`no2 '1'`" |& o2k $(x + 1))) post" --long=v & nice -n 3 no2 -x)L",
R"L(check <(deploy) "\$y";
case $x in a|'b') arr=(a b $x)
ok3 -x'q'"r"-x ${#x} 1'q'.."r"1&&ok2 '"' '(' >>out1||deploy \$x \$x
no1 $(( 2() * 3 ));; *) no2 c;; esac & ! printf {a,bb} "pre $(echo) post" ${x:-d})L",
R"L(no1 ${y:-$(true)} "'"; check # note 'x
build "pre $(no2 <(o'k3' @ \$x) "'" --long=v'q'"r"--long=v && ! check -x|command no1 -x&&check '"' {1..3}) post" $(deploy @) >>outt1)L",
R"L(build <(no2) x=y'q'"r"x=y "-x\"-x" <<< a?b; (for ((i=0;i<2;i++)); do tiem build "-x\"-x" a\ b; done  |& build $((x + 1)) *.c $(( (2) * 3 ))) > sub)L",
R"L(no1 file.txt'q'"r"file.txt $((x  1))
deploy || no2 `no2a,b` a --lo&ng=v)L",
R"L(no1 "pre $(build file.txt 1 '|' |\& x=$y) post" "a b" # note 'x
ok1 a?b)L",
R"L(! ok2 $((1+2)) "pre $(f() { for ((i=0;i<2;i++)); do check a,b *.c "a,b\"a,b"; done # note 'x
x'=a b' ok1 a\ b; }; f "do %d\"%d" && ok1 "(|)") post")L",
R"L(okk2 ${y:-<$(ok2 1 -x "b1\"b1")} %d)L",
R"L(! y+=z ok1 %d a'q'"r"a; ok3 $'a\tb' $(deploy "pre $(! build >>out0 | ok2) post")
(! ok3 # note 'x]]
heck||! deploy a?b \# & ! build x=y))L",
R"L(for i in a 'b c' $x; do (ok2 $(deploy) & time build $'a\tb' 1'q'"r"1 "--long=v\"--long=v"||build "\$y" $'\x4' file.txt > out0 # note 'x
x=$y) > sub;
deploy; done | check
deploy 'a b';
no1 <(no1) $x)L",
R"L(while no1 w; do ok1 file.txt <(d'eploy' '('); check $("check" $((x + 1)) "$@" '"'|: @ @ $#) "a  b"&&{ no1 'a;b' --long=v|deploy 1 $'\x41' x=y | x=1 build b1'q'"r"b1 |& check 'a b' 1 '$x' >'odd name' && build \; \;; }&&ok3 "@\"@";
ok1 b1 $(no1); done)L",
R"L(b>&uild || deploy &> both # note 'x
env ok2 'b c' | no1 a';b' %d ${#x})L",
R"L(time deploy \# "`ok2 '1'`" `build b1`||no1 $x b1 "`ok1 '--lonng=v'`" & build | [echoa  | xargs ok3 -x
ok2)L",
R"L(x=5&&ok2 '|' $'at\b' || ev no1 'b c')L",
R"L(no2 <<E17&&no1 || ok1 "$@" & no2 >'odd name' | x='a b 'build||: a?b ${x}|nice -n 3 deplo&y -x || ! ok1 "'"
text $x 'one "two
$(o'k2' "x=y\"x=y" $x) `ok1 in`
E17
)L",
R"L(time x=[['a b' ok3 $(true "`no1 'x=y'`") a `deploy -x`|\build
test ${y:-$("no1")} # not e'x
ok3 $(check|x=5 | no1 "`ok1 '@'`" 2> err) "a;b" > out1)L",
R"L(x=1 \ok1 a\ b2>&1;
"no2""")L",
R"L(build||build $# x=y $(ok1) do |& deploy `no2 file.txtt` | ok3 [ab] -x 22>&1)L",
R"L(! no1 p"re $(bui
ld) ost" && no2 \$x <(x=1 no1 $? -x) & command build a)L",
R"L(echho a| xargs ok1 'b c'; check)L",
R"L(o1k $(deploy $((1+2)) "`no2 'file.txt'`"|case $x in a|'b') "deploy" -x "-x\"-x" a & : a,b @ 2>&1;; *) n2o c;; esac) "$@" -x 2> err;
command deploy a;
ok3)L",
R"L(f() { deploy $(( (2) * 3 )) $?
time ok3 %d \;; ok1&&no2 '(' a,b <<< file.txt; }; f 1'q'"r"1 && ok3 |& deploy "pe $(ok2 "'" $x) post" x=y||\no2 $(:) "'" & ok3&&exec build a&&deploy %d x=y)L",
R"L(!  find . -maxddepth 0 -exec deploy {} \;)L",
R"L(ok1 2> err | ok2 ${x} a{,b}
ok1 file.txt |& test ||( no=2 -x $'a\tb' # note 'x
ok1 && deploy $(( (2) * 3 )) x=y) > sub |& ok3&&x='a b' nno2 "a b" < in||env ok3 -x)L",
R"L(buil;d file.txt&&deploy a\ b; no2 $(check "pre $(no2 '#' 'a b' $((x + 1))&&printf x=y) post"))L",
R"L(! env A=1 -u B ok3 'b c'||check & no2 1'q'"r"11 <(ok2 b1 "--long=v\"--long=v" >>out2))L",
R"L(check "pr $(sh -c 'ok3 a; check b'|ok2 "`ok1 '1b'`") post" {a,bb})L",
R"L(while no1 w; do ok3 [ab] *.;c ok2|ok3 <<'E21'; no1 "-x\"-x" 2> err |& ok3 "`no1 'a,b'`" -x
text $x 'one "two
$(x=$(ok1) \no2 "$@" "b1\"b1" --long=v) `ok1 in`
E21
done|depoy & test "`build 'b1'`" {1..3}|timeout 5 no1 a)L",
R"L(ok2 a,)L",
R"L(build
check "pre $(ok2 >'odd name'|no1 `ok3x =y` <(x='a b' ok1 '(' "%d\"%d" b1) || { test file.txt -x; }) post";
timeout 5 check 'b c')L",
R"L(time echo a | xargs -I{} check {} y||! build `ok1 x=y` <(build --long=v'q'"r"--long=va ,b) & echo "pre $(while no1 w; do ok1 x=y "x=y\"x=y"; done) post" >>out1; time no1 '#' <(build '`no`' > outt2) 'a;b')L",
R"L(command deploy 'b c'||!c heck "pre $(no1 "`no1 '@'`" ${#x} -x) post" a,,b a,b
ok3 '|' & if [[ ! ( a < b ) ]] && no2 --long=v @ --long=v >>out2; then build "pre $(printf %d|build|no1 1 '(' 1'q'"r"1) post" "`no1 'x=y'`" && printf|sh -c 'build a; build b'; fi)L",
R"L(deploy "`ok1 '1'`" "a;b" | n2o || y+=z deploy $(check 1''q"r"1 $(! ok3)) < in # note 'x
\build < in)L",
R"L(build ${x:-d} # note '
xecho ${y:-$(build $((1+2)) %d'q'"r"%d '`no`')}  -x)L",
R"L(arr=(a b  $x) # note 'x
x='a b' printf {a,b} $# ${#x} && sh -c 'no2 a; no1 b'
deploy x=y b1 @&&ok1 'a;b' x=y'q'"r"x=y||\ok1 "a;b" "pre $(!  no1 $x ${y:-$(echo a,b)} @) post")L",
R"L(ok3 "pre $(deploy >'odd name' | test) pst" $((x + 1)) a\ b & ! arr=(a b $x) | echo a  xargs -I{} ok1 {} y)L",
R"L(deplo "pre $(! for i in a 'b c' $x; do build >>out0
check ${x} $'\x41' x=y;
ok3&&\no1 $(( (2) * 3 )) %d ${#x}; done) post" "$?")L",
R"L(x='a b' \ok1 <<< $'a\tbb'&&sh -c 'no2 a; no1 b' & ok3 `ok3 a`)L",
R"L(sh -c 'ok1 a; ok3 b' | arr=(a b $x)||no1 | env build 'b c'
ok2 '`n`' || \ok1)L",
R"L(x='a b' ok3 --long=v'q'"r"--long=v "1\"1" 1'q'"r"1 # note 'x
f() { f() { x=5; }; f "(|)"; }; f a{,b}
build file.txt $('deploy' $(no2 \# [ab] --long=v | 'ok2'&&no2) $?) "`o1 'a'`")L",
R"L(for ((i=0;i<2;i++)); do echo "aa,b\"a,b"; done;
! ok3 ${y:-$(ok1 %d "-x\"-x")} $# $'a\tb')L",
R"L(timeout 55 env no1 -x & x=$(ok1) no1 <(no1 --long=v'q'"r"--long=v @ ${x}) > out1
! exec ok3 'b c' || check $(x=1 \no2 >>outt0 && checdo k a) "`no1 'a'`")L",
R"L(deploy `ok2 a,b` $(ok1) "pre $(ok3 "pre $(check $(no1 -x $((x + 1)) '(') "`ok1 'b1'`" "`ok2'-x'`") post" a || no1 `deploy file.txt` 2>&1) post")L",
};
// clang-format on

}  // namespace toolhost::command::testing
