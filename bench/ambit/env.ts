import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { rubricFor } from '../../src/critic/judges/judge-specs.ts';
import { standardEvaluators } from '../../src/critic/evaluators/standard-evaluators.ts';
import type { Critic } from '../../src/kernel/machine/derive.ts';
import type { KernelEnv } from '../../src/kernel/env.ts';
import { DEFAULT_LIMITS } from '../../src/model/budget/kernel-limits.ts';
import { compile } from '../../src/kernel/graph/compile.ts';
import { PLAN_FIRST } from '../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../src/kernel/query/guards.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { DecisionSpec } from '../../src/model/critic/decision.ts';
import { POST_ENTRY } from './tool.ts';
import { criticOf } from '../../src/session/perform/effects.ts';

const RUBRIC = rubricFor('moderate');
const EVALUATORS = standardEvaluators();

/** Governs the tool, so that every judgement checks the evidence for it. */
const DECISION: DecisionSpec = {
  decision_id: 'DEC_POST_ENTRY',
  version: '1',
  description: 'Entries may be posted',
  evidence: ['ledger_entry'],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'moderate',
  actions: [],
};

/** The pins of a run: the default graph, the shipped guards and rubric, real schemas and the real hash. */
export const ENV: KernelEnv = {
  graph: compile(PLAN_FIRST, GUARDS, sha256),
  tools: toolTable([POST_ENTRY], new Set([POST_ENTRY.name]), ajvSchemaCheck().compile),
  catalog: new Map([[DECISION.decision_id, DECISION]]),
  policy: { version: '1', invariants: () => [] },
  rubric: RUBRIC,
  detectors: [],
  gates: new Map(),
  limits: DEFAULT_LIMITS,
  hash: sha256,
};

/** The complete shipped Critic. */
export const CRITIC: Critic = criticOf(RUBRIC, EVALUATORS);
