import { BOUNDARY_GATE } from '../../model/boundary.ts';
import { CATEGORY_GATES } from '../../model/default-gates.ts';
import { GATE_MODE_APPROVAL } from '../../model/gate.ts';
import { type CategoryRules, rulesOf } from '../../model/rules/category-rules.ts';
import type { ToolCategory, ToolSpec } from '../../model/tool.ts';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { type Layer, PASS, type ProposedCall, passThrough, refusal } from '../layers/layer.ts';
import { databaseCheck } from './database.ts';
import { emailCalendarCheck } from './email-calendar.ts';
import { fileSystemCheck } from './file-system.ts';
import { type CategoryCheck, type Finding, FREE } from './finding.ts';
import { infrastructureCheck } from './infrastructure.ts';
import { liveApiCheck, readOnlyLookupCheck, vectorRetrievalCheck } from './looking-up.ts';
import { paymentCheck } from './payment.ts';
import { reviewQueueCheck } from './review-queue.ts';
import { sandboxCodeCheck } from './sandbox-code.ts';

type Checks = { readonly [C in ToolCategory]: CategoryCheck<CategoryRules[C]> };

/** What a category makes of the call itself, beyond its schema and its mode: the rules its tool was registered with. */
export function categoryLayer(files: WorkspaceFiles): Layer {
  const checks: Checks = {
    read_only_lookup: readOnlyLookupCheck,
    vector_retrieval: vectorRetrievalCheck,
    live_api: liveApiCheck,
    sandbox_code: sandboxCodeCheck,
    file_system: fileSystemCheck(files),
    database: databaseCheck,
    email_calendar: emailCalendarCheck,
    payment: paymentCheck,
    infrastructure: infrastructureCheck,
    review_queue: reviewQueueCheck,
  };
  return (call) => {
    if (call.spec.rules === undefined) return PASS;
    const finding = check(checks, call.spec, call);
    if (finding.kind === 'refused') return refusal(finding.layer, finding.code, finding.message);
    if (finding.kind === 'free') return PASS;
    const pass = passThrough(hasGate(call) ? [] : [CATEGORY_GATES[call.spec.category]]);
    return finding.preview === undefined ? pass : { ...pass, preview: finding.preview };
  };
}

function check<C extends ToolCategory>(
  checks: Checks,
  spec: ToolSpec & { readonly category: C },
  call: ProposedCall,
): Finding {
  const rules = rulesOf(spec);
  const ask: CategoryCheck<CategoryRules[C]> = checks[spec.category];
  return rules === null ? FREE : ask(rules, call);
}

/**
 * Whether a person sees the call anyway. The gate of the mode does not count: the requester's own word or a grant given
 * in advance opens it, and neither has seen what this category finds in the call.
 */
function hasGate({ spec, step, rules }: ProposedCall): boolean {
  const named = [...spec.gates, ...(step.requires ?? []), ...rules.approvals];
  if (rules.bounds.needs_approval.includes(spec.name)) named.push(BOUNDARY_GATE);
  return named.some((gate) => gate !== GATE_MODE_APPROVAL);
}
