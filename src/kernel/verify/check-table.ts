import type { Problem } from '../../model/json/problem.ts';
import type { RiskClass } from '../../model/policy/risk.ts';
import { checkAuthority, checkGates, checkModes } from './checks/approval.ts';
import { checkBudget } from './checks/budget.ts';
import { checkCompanions, hasCompanions } from './checks/companions.ts';
import { checkConditions, hasConditions } from './checks/conditions.ts';
import { checkCheckpoints, checkDecisionApprovals, checkDecisionBinding } from './checks/decisions.ts';
import { checkEvidence, checkEvidenceChain } from './checks/evidence.ts';
import { checkOutput, hasOutput } from './checks/output.ts';
import { checkOverreach } from './checks/overreach.ts';
import { checkPlanPolicy } from './checks/policy.ts';
import { checkBindingsProven } from './checks/proven.ts';
import { checkReasoning } from './checks/reasoning.ts';
import { checkSteps } from './checks/steps.ts';
import { checkAcyclic, checkDependencies, checkIds } from './checks/structure.ts';
import { checkSubtasks } from './checks/subtasks.ts';
import { checkAssumptions, checkSupport } from './checks/support.ts';
import { checkTools } from './checks/tools.ts';
import { checkValues, hasInputForms } from './checks/values.ts';
import type { Subject } from './subject.ts';

export interface Check {
  readonly name: string;
  /** The lowest risk at which the check runs. It also runs at every higher risk. */
  readonly from: RiskClass;
  /** Whether the plan has anything to check; always by default. A check that does not apply is not recorded. */
  readonly applies?: (subject: Subject) => boolean;
  readonly run: (subject: Subject) => readonly Problem[];
}

/**
 * All checks, in the order in which problems are reported. For a single call it is the gateway's order: does the tool
 * exist, do its arguments fit, may it be used, is there budget, who must approve it. Each check walks the plan once.
 */
export const CHECKS: readonly Check[] = [
  { name: 'unique_ids', from: 'low', run: checkIds },
  { name: 'dependencies', from: 'low', run: checkDependencies },
  { name: 'acyclic', from: 'low', run: checkAcyclic },
  { name: 'capabilities_and_inputs', from: 'low', run: checkSteps },
  { name: 'reasoning', from: 'low', run: checkReasoning },
  { name: 'arguments', from: 'low', run: (subject) => subject.arguments.problems },
  { name: 'input_values', from: 'low', applies: hasInputForms, run: checkValues },
  { name: 'output', from: 'low', applies: hasOutput, run: checkOutput },
  { name: 'tools_permitted', from: 'low', run: checkTools },
  { name: 'policy', from: 'low', run: checkPlanPolicy },
  { name: 'conditions', from: 'low', applies: hasConditions, run: checkConditions },
  { name: 'companions', from: 'low', applies: hasCompanions, run: checkCompanions },
  { name: 'budget', from: 'low', run: checkBudget },
  { name: 'least_costly', from: 'low', run: checkOverreach },
  { name: 'approval_modes', from: 'low', run: checkModes },
  { name: 'approval_authority', from: 'low', run: checkAuthority },
  { name: 'gates', from: 'low', run: checkGates },
  { name: 'decision_approvals', from: 'low', run: checkDecisionApprovals },
  { name: 'checkpoints', from: 'low', run: checkCheckpoints },
  { name: 'decision_binding', from: 'low', run: checkDecisionBinding },
  { name: 'evidence', from: 'low', run: checkEvidence },
  { name: 'support', from: 'low', run: checkSupport },
  { name: 'assumptions', from: 'low', run: checkAssumptions },
  { name: 'subtasks', from: 'low', run: checkSubtasks },
  { name: 'evidence_chain', from: 'high', run: checkEvidenceChain },
  { name: 'bindings_proven', from: 'critical', run: checkBindingsProven },
];
