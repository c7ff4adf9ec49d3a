import { CATEGORY_GATES } from '../../model/gate/default-gates.ts';
import { GATE_MODE_APPROVAL } from '../../model/gate/gate.ts';
import { BOUNDARY_GATE } from '../../model/policy/boundary.ts';
import { type CategoryRules, rulesOf } from '../../model/tool/rules/category-rules.ts';
import type { ToolCategory, ToolSpec } from '../../model/tool/tool.ts';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { type Layer, PASS, type ProposedCall, passThrough, refusal } from '../layers/layer.ts';
import { databaseCheck } from './database.ts';
import { emailCalendarCheck } from './email-calendar.ts';
import { fileSystemCheck } from './file-system.ts';
import { type CategoryCheck, type CategoryFinding, FREE } from './finding.ts';
import {
  infrastructureCheck,
  liveApiCheck,
  readOnlyLookupCheck,
  reviewQueueCheck,
  sandboxCodeCheck,
  vectorRetrievalCheck,
} from './lookups.ts';
import { paymentCheck } from './payment.ts';

type Checks = { readonly [C in ToolCategory]: CategoryCheck<CategoryRules[C]> };

/** Checks the arguments of a call against the rules of its tool's category, beyond schema and mode. */
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
): CategoryFinding {
  const rules = rulesOf(spec);
  const ask: CategoryCheck<CategoryRules[C]> = checks[spec.category];
  return rules === null ? FREE : ask(rules, call);
}

/**
 * Whether a person approves the call anyway. The mode approval gate does not count: the requester's own request or a
 * standing grant can open it, and neither has seen the findings of this category.
 */
function hasGate({ spec, step, rules }: ProposedCall): boolean {
  const named = [...spec.gates, ...(step.requires ?? []), ...rules.approvals];
  if (rules.bounds.needs_approval.includes(spec.name)) named.push(BOUNDARY_GATE);
  return named.some((gate) => gate !== GATE_MODE_APPROVAL);
}
