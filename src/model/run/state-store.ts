import { z } from 'zod';

/** The categories of stored state. Two stores never share an object. */
export const STATE_CATEGORIES = [
  'scratchpad',
  'task_state',
  'evidence',
  'observations',
  'persistent_memory',
  'execution_trace',
  'audit_record',
] as const;
export type StateCategory = (typeof STATE_CATEGORIES)[number];
export const StateCategory: z.ZodType<StateCategory> = z.enum(STATE_CATEGORIES);

export const STATE_READERS = ['model', 'system', 'auditor'] as const;
export type StateReader = (typeof STATE_READERS)[number];
export const StateReader: z.ZodType<StateReader> = z.enum(STATE_READERS);

/**
 * `free` writes at will; `propose` only nominates; `append` adds and never changes; `version` replaces by a new version
 * and keeps the old one; `gate` writes after verification; `discard` may only delete.
 */
export const STATE_WRITES = ['none', 'free', 'propose', 'append', 'version', 'gate', 'discard'] as const;
export type StateWrite = (typeof STATE_WRITES)[number];

export interface StateAccess {
  readonly read: boolean;
  readonly write: StateWrite;
}

export interface StateStore {
  readonly tenure: string;
  readonly access: Readonly<Record<StateReader, StateAccess>>;
  readonly medium: string;
  readonly update_rule: string;
}

const NOTHING: StateAccess = Object.freeze({ read: false, write: 'none' });
const READ: StateAccess = Object.freeze({ read: true, write: 'none' });
const may = (write: StateWrite): StateAccess => Object.freeze({ read: true, write });

export const STATE_STORES: Readonly<Record<StateCategory, StateStore>> = {
  scratchpad: {
    tenure: 'one step; gone at the next transition or compression',
    access: { model: may('free'), system: may('discard'), auditor: NOTHING },
    medium: 'process memory',
    update_rule: 'Working notes; never cited as fact.',
  },
  task_state: {
    tenure: 'the run',
    access: { model: may('propose'), system: may('version'), auditor: NOTHING },
    medium: 'the journal, folded',
    update_rule: 'A verified transition makes a new version; older versions stay readable.',
  },
  evidence: {
    tenure: 'a step or the run, as its source says',
    access: { model: READ, system: may('append'), auditor: NOTHING },
    medium: 'content-addressed blobs',
    update_rule: 'Keeps source id, timestamp, permission scope and freshness, or is not taken in.',
  },
  observations: {
    tenure: 'the run; archived at its end',
    access: { model: READ, system: may('append'), auditor: NOTHING },
    medium: 'the journal and content-addressed blobs',
    update_rule: 'Written straight from what the tool returned: success, failure or timeout, with the raw payload.',
  },
  persistent_memory: {
    tenure: 'across sessions, until each entry expires',
    access: { model: READ, system: may('gate'), auditor: NOTHING },
    medium: 'the memory store',
    update_rule: 'Written after the run, verified, with sources, validator and expiry.',
  },
  execution_trace: {
    tenure: 'as long as the retention policy says',
    access: { model: NOTHING, system: may('append'), auditor: READ },
    medium: 'the journal, chained by hash',
    update_rule: 'Appended while the run lasts, sealed when it ends.',
  },
  audit_record: {
    tenure: 'permanent for regulated work',
    access: { model: NOTHING, system: may('append'), auditor: READ },
    medium: 'tamper-evident storage with signed heads',
    update_rule: 'Holds approvals, policy versions, exceptions and who answers for them.',
  },
};
