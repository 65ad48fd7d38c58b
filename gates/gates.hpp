// The eighteen steps, in order. Each is one file; a step that may refuse
// returns the refusal. The order is the security policy: read README.md of
// this folder before moving a line.
#pragma once

#include <optional>

#include "gates/pipeline.hpp"

namespace toolhost::gates {

using Refusal = std::optional<CallError>;

//  1 Which registry and configuration is this turn judged with?
void pin(Call& call, Parts& parts);
//  2 Was it cancelled before it began?
Refusal not_cancelled(Call& call);
//  3 Is there such a tool for this session, now?
Refusal resolve_tool(Call& call, Parts& parts);
//  4 Does the tool itself say never?
Refusal declared_policy(Call& call);
//  5 Does the sandbox mode allow this kind of tool?
Refusal sandbox_mode(Call& call);
//  6 Do the hooks before the tool object, or rewrite the arguments?
Task<Refusal> pre_hooks(Call& call, Parts& parts);
//  7 Are the arguments what the schema asks for?
Refusal arguments(Call& call);
//  8 Does the session's mode allow it?
Refusal plan_mode(Call& call);
//  9 Was the file read before it is edited?
Refusal read_before_edit(Call& call);
// 10 Does the session's policy let anything run?
Refusal session_policy(Call& call);
// 11 What would it touch? No side effects; path security.
Refusal resolve(Call& call, Parts& parts);
// 12 Did exactly this run already?
Task<bool> replay(Call& call, Parts& parts);
// 13 Do rules, policy and unskippable reasons allow, deny or ask?
Refusal permission(Call& call, Parts& parts);
// 14 What does the person say?
Task<Refusal> approval(Call& call, Parts& parts);
// Would the rules answer it now? nullopt: a person still has to.
std::optional<Decision> answer_by_rules(Call& call, Parts& parts);
// 15 Its turn, its record, its run.
Task<void> run_tool(std::shared_ptr<Call> call, Parts& parts);
// 16 Do the hooks after the tool replace or reject the output?
Task<void> post_hooks(Call& call, Parts& parts);
// 17 Output budget and spill.
void normalise(Call& call, Parts& parts);
// 18 Journal, audit, events.
void bookkeeping(Call& call, Parts& parts);

}  // namespace toolhost::gates
