import { NO_HISTORY } from '../../model/events/history.ts';
import { NO_ESTIMATE } from '../budget/estimate.ts';
import type { KernelEnv } from '../env.ts';
import { NO_APPROVED_REPEATS, NO_DOUBTS } from '../query/call/doubt.ts';
import { NO_EDITS } from '../query/plan/drafts.ts';
import { guardWith, LOOP_LIMITS } from '../state/loop-guard.ts';
import type { People } from '../state/people-state.ts';
import { NO_REACT } from '../state/react-state.ts';
import type { Counters, Ending, IntakeState, Planning, RunState, SessionState, Work } from '../state/run-state.ts';
import { NOTHING_STATED } from '../state/stated-facts.ts';
import { vecEmpty } from '../state/vec.ts';
import { NO_VISITS } from './walk.ts';

const SESSION: SessionState = Object.freeze({
  status: 'in_progress',
  pause: null,
  startedAt: 0,
  deadlineAt: null,
  suspendedAt: null,
  expiresAt: Number.MAX_SAFE_INTEGER,
  heartbeatMs: null,
  lastSeen: 0,
});

const INTAKE: IntakeState = Object.freeze({
  goal: null,
  identity: null,
  intent: null,
  risk: 'low',
  confidence: 0,
  readings: [],
  token: null,
  cleared: false,
  answers: {},
  answeredByOthers: [],
  rescope: false,
});

const PLANNING: Planning = Object.freeze({
  proposal: null,
  author: null,
  filled: null,
  exposed: false,
  tainted: false,
  verdict: null,
  active: null,
  decisions: new Map(),
  approved: false,
  plansCreated: 0,
  replans: 0,
  specialist: 'unused',
  reason: null,
});

const WORK: Work = Object.freeze({
  progress: vecEmpty,
  cursor: 0,
  version: 0,
  carried: Object.freeze({ steps: null, fillers: null, origins: null }),
  evidenceByType: {},
  evidence: vecEmpty,
  transcripts: vecEmpty,
  scores: vecEmpty,
  scoresCarried: 0,
  sealed: NO_HISTORY,
  unresolved: [],
  stated: NOTHING_STATED,
  disputed: [],
  doubts: NO_DOUBTS,
  approvedRepeats: NO_APPROVED_REPEATS,
  effects: vecEmpty,
  decided: [],
  estimate: NO_ESTIMATE,
  foreseen: null,
});

const PEOPLE: People = Object.freeze({
  gates: [],
  undecided: 0,
  gatesOpened: 0,
  grants: [],
  approvals: [],
  requested: {},
  question: null,
  wanted: null,
  questionsAsked: 0,
  escalation: null,
  escalations: 0,
  recommended: false,
  decision: null,
  answersPerGate: {},
  edits: NO_EDITS,
  inquiries: [],
  signatures: [],
  refused: 0,
});

const COUNTERS: Counters = Object.freeze({
  calls: 0,
  repairsInARow: 0,
  denials: [],
  violations: 0,
  claimRepairs: 0,
  checkpoints: 0,
  compressions: 0,
  gpuMs: 0,
  humanReviews: 0,
  reflections: {},
});

const ENDING: Ending = Object.freeze({
  inFlight: null,
  stops: [],
  verdict: null,
  runScores: null,
  criteriaMet: false,
  response: null,
  memoryProposals: 0,
  closeBy: null,
  closing: false,
  terminal: null,
});

/** The state of a run before its first event, at the entry of its graph. */
export function initialState(env: KernelEnv): RunState {
  return {
    id: { runId: '', traceId: '', tenantId: '' },
    now: 0,
    seq: 0,
    position: { node: env.graph.spec.entry, moves: null, transitions: 0, visits: NO_VISITS },
    session: SESSION,
    intake: INTAKE,
    manifest: null,
    budget: null,
    planning: PLANNING,
    work: WORK,
    current: null,
    panel: null,
    people: PEOPLE,
    guard: guardWith({ ...LOOP_LIMITS, callsPerMinute: env.limits.callsPerMinuteMax }),
    counters: COUNTERS,
    react: NO_REACT,
    ending: ENDING,
  };
}
