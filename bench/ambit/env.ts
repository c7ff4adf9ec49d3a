import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { judgeRun, judgeStep } from '../../src/critic/judge.ts';
import { rubricFor } from '../../src/critic/rubrics.ts';
import { standardEvaluators } from '../../src/critic/standard-evaluators.ts';
import { verifyObservation } from '../../src/critic/verify-observation.ts';
import type { Critic } from '../../src/kernel/derive.ts';
import { DEFAULT_LIMITS, type KernelEnv } from '../../src/kernel/env.ts';
import { compile } from '../../src/kernel/graph/compile.ts';
import { PLAN_FIRST } from '../../src/kernel/graph/plan-first.ts';
import { GUARDS } from '../../src/kernel/guards.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { DecisionSpec } from '../../src/model/decision.ts';
import { POST_ENTRY } from './tool.ts';

const RUBRIC = rubricFor('moderate');
const EVALUATORS = standardEvaluators();

/** Governs the tool, so that every judgement asks whether the evidence for it is there. */
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

/** What a run is pinned to: the default graph, the shipped guards and rubric, real schemas, the real hash. */
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

/** The critic that ships, with nothing left out. */
export const CRITIC: Critic = {
  verifyObservation,
  judgeStep: (facts) => judgeStep(RUBRIC, EVALUATORS, facts),
  judgeRun: (facts) => judgeRun(RUBRIC, EVALUATORS, facts),
};
