import type { AgentDoor } from './ambit.ts';

/**
 * Whom a question concerns where there are several agents: the agent whose run, or whose gate, is named first (`stream`
 * where the answer keeps coming); the one
 * that has the tool; the agent that is asked by name; or the store, which all of them share.
 */
export type Route = 'run' | 'stream' | 'gate' | 'tool' | 'agent' | 'store' | 'each';

/** Complete by its type: whoever adds a question says here whom it concerns. */
export const ROUTES: Readonly<Record<keyof AgentDoor, Route>> = Object.freeze({
  invoke: 'agent',
  dryRun: 'agent',
  approve: 'gate',
  reject: 'gate',
  edit: 'gate',
  requestInfo: 'gate',
  provideInfo: 'gate',
  answer: 'run',
  tell: 'run',
  resume: 'run',
  outcome: 'run',
  decideEscalation: 'run',
  extendBudget: 'run',
  resumeSession: 'run',
  cancel: 'run',
  session: 'run',
  progress: 'stream',
  watch: 'stream',
  replay: 'run',
  trace: 'run',
  account: 'run',
  observation: 'run',
  stateAt: 'run',
  whatIf: 'run',
  diff: 'run',
  verifyChain: 'store',
  shadow: 'run',
  audit: 'run',
  frames: 'run',
  phases: 'run',
  transcripts: 'run',
  document: 'run',
  exchanges: 'run',
  handoff: 'run',
  readState: 'run',
  writeState: 'run',
  auditRecord: 'run',
  giveGrant: 'tool',
  revokeGrant: 'store',
  grants: 'store',
  sessions: 'store',
  packet: 'store',
  pending: 'store',
  killSwitches: 'store',
  memories: 'store',
  close: 'store',
  breakers: 'each',
  agents: 'each',
});
