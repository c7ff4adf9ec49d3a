import type { Command } from '../command.ts';
import { PACKET, REASON, SESSION, WHO } from './shared-flags.ts';

const TENANT = { flag: '--tenant <id>', about: 'of this tenant alone' };

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'sessions list',
    about: 'Every session in the journal, those last changed first',
    flags: [
      {
        flag: '--status <status>',
        about: 'in this state alone',
        many: true,
        choices: ['in_progress', 'awaiting_gate', 'paused', 'completed', 'failed', 'expired', 'rejected', 'cancelled'],
      },
      { flag: '--mode <mode>', about: 'asked for in this mode alone', choices: ['standard', 'long_running'] },
      { flag: '--agent <name>', about: 'of this agent alone', completes: 'agent' },
      TENANT,
      { flag: '--limit <n>', about: 'so many at most; 50 unless said', reads: 'count' },
    ],
    examples: [
      { line: 'ambit sessions list', about: 'the last fifty' },
      { line: 'ambit sessions list --status in_progress --json', about: 'what no process may be driving any more' },
    ],
    load: async () => (await import('../actions/sessions.ts')).listSessions,
  },
  {
    name: 'sessions show',
    about: 'How a session stands: what it waits for, or how it ended',
    words: [SESSION],
    flags: [
      { flag: '--at <event>', about: 'how it stood right after its event of this number, from 1', reads: 'count' },
    ],
    examples: [
      { line: 'ambit sessions show run_1f0…', about: 'with the next command, where it waits for somebody' },
      { line: 'ambit sessions show run_1f0… --at 12 --json', about: 'plan, step, budget, people and ending, as then' },
    ],
    load: async () => (await import('../actions/sessions.ts')).showSession,
  },
  {
    name: 'sessions watch',
    about: 'Follow a session that any process drives, until it has ended',
    words: [SESSION],
    flags: [{ flag: '--after <cursor>', about: 'only what comes after this cursor', reads: 'cursor' }],
    examples: [
      { line: 'ambit sessions watch run_1f0…', about: 'the plan with its budgets, live' },
      { line: 'ambit sessions watch run_1f0… --json --after 3.1', about: 'a line of JSON for each event' },
    ],
    load: async () => (await import('../actions/watch.ts')).watchSession,
  },
  {
    name: 'sessions resume',
    about: 'Go on with a session that was paused, or that its process left',
    words: [SESSION],
    flags: [
      { flag: '--take-over', about: 'also one that another process drives, which is then fenced' },
      REASON,
      ...WHO,
    ],
    examples: [
      { line: 'ambit sessions resume run_1f0…', about: 'after a crash: what was done is not done again' },
      { line: 'ambit sessions resume run_1f0… --as ana', about: 'one that was paused goes on by her word' },
    ],
    load: async () => (await import('../actions/sessions.ts')).resumeSession,
  },
  {
    name: 'sessions resume-all',
    about: 'After an outage: let every session go on that was left, or paused by the watchdog',
    flags: [TENANT, ...WHO],
    examples: [
      { line: 'ambit sessions resume-all --as ana', about: 'says of each what came of it; exit 1 if one cannot' },
    ],
    load: async () => (await import('../actions/resume-all.ts')).resumeAllSessions,
  },
  {
    name: 'sessions pause',
    about: 'Hold a session: what is under way may land, nothing new starts',
    words: [SESSION],
    flags: [REASON, ...WHO],
    examples: [
      { line: 'ambit sessions pause run_1f0… --reason "audit today" --as ana', about: 'until somebody resumes it' },
    ],
    load: async () => (await import('../actions/operate.ts')).pauseSession,
  },
  {
    name: 'sessions interrupt',
    about: 'Hold a session for a moment: with a resume in the queue, whoever serves sessions next lets it go on',
    words: [SESSION],
    flags: [REASON, ...WHO],
    examples: [
      { line: 'ambit sessions interrupt run_1f0… --reason "deploying" --as ana', about: 'ambit serve goes on with it' },
    ],
    load: async () => (await import('../actions/operate.ts')).interruptSession,
  },
  {
    name: 'sessions cancel',
    about: 'End a session; what it has changed is taken back where that is declared',
    words: [SESSION],
    flags: [
      { flag: '--here', about: 'also one that cannot go on because its pack or its snapshot is not here' },
      REASON,
      ...WHO,
    ],
    examples: [{ line: 'ambit sessions cancel run_1f0… --reason "asked twice" --as ana', about: 'on record as hers' }],
    load: async () => (await import('../actions/operate.ts')).cancelSession,
  },
  {
    name: 'sessions steer',
    about: 'Leave a note that whoever plans is shown from the next plan on',
    words: [SESSION],
    flags: [{ flag: '--note <text>', about: 'what they are to know' }, ...WHO],
    examples: [
      { line: 'ambit sessions steer run_1f0… --note "The customer has moved." --as ana', about: 'as her word' },
    ],
    load: async () => (await import('../actions/operate.ts')).steerSession,
  },
  {
    name: 'sessions migrate',
    about: 'Take a session to another pack and snapshot than it was started on',
    words: [SESSION],
    flags: [
      { flag: '--pack <pin>', about: 'the pack of this process' },
      { flag: '--snapshot <pin>', about: 'the snapshot of this process' },
      REASON,
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit sessions migrate run_1f0… --pack ctx@2 --snapshot kg_2 --reason "ctx@1 is gone" --as ana',
        about: 'and it goes on',
      },
    ],
    load: async () => (await import('../actions/operate.ts')).migrateSession,
  },
  {
    name: 'sessions fork',
    about: 'Begin another session as this one began, up to one of its verdicts; nothing that changes the world is sent',
    words: [SESSION],
    flags: [
      { flag: '--at <checkpoint>', about: 'right before this verdict, as trace lists them; the last one, unless said' },
      {
        flag: '--answers-file <file>',
        about: 'what tools are taken to answer, by name, where the record has no answer',
        completes: 'file',
      },
      { flag: '--for-real', about: 'send what changes the world; takes a reason and somebody who decides' },
      REASON,
      ...WHO,
    ],
    examples: [
      { line: 'ambit sessions fork run_1f0…', about: 'once more from the last verdict, simulated' },
      {
        line: 'ambit sessions fork run_1f0… --at ck_run_1f0…_2 --for-real --reason "the bank was down" --as ana',
        about: 'for real',
      },
    ],
    load: async () => (await import('../actions/fork.ts')).forkSession,
  },
  {
    name: 'sessions export',
    about: 'Write a session into one file that replays on any machine',
    words: [SESSION],
    flags: [{ flag: '--out <file>', about: 'where to; <session>.ambit, unless said', completes: 'file' }],
    examples: [
      {
        line: 'ambit sessions export run_1f0… --out refund.ambit',
        about: 'frames, blobs and what they were decided by',
      },
    ],
    load: async () => (await import('../actions/bundles.ts')).exportSession,
  },
  {
    name: 'sessions import',
    about: 'Put such a file into the store, to be looked at and replayed',
    words: [{ name: 'file', about: 'what export has written', required: true, completes: 'file' }],
    examples: [{ line: 'ambit sessions import refund.ambit', about: 'what was altered in it is named' }],
    load: async () => (await import('../actions/bundles.ts')).importSession,
  },
  {
    name: 'sessions answer',
    about: 'Answer what a session asks its user; what anybody else answers is theirs, and counts as untrusted',
    words: [SESSION],
    flags: [
      { flag: '--answer <name=value>', about: 'a field that is asked for', many: true, reads: 'assignment' },
      ...WHO,
    ],
    examples: [{ line: 'ambit sessions answer run_1f0… --answer order_id=ord_881 --as ada', about: 'and it goes on' }],
    load: async () => (await import('../actions/sessions.ts')).answerSession,
  },
  {
    name: 'sessions decide',
    about: 'Decide what becomes of a session that was handed over',
    words: [
      SESSION,
      { name: 'decision', about: 'what becomes of it', required: true, choices: ['continue', 'finalize', 'terminate'] },
    ],
    flags: [
      PACKET,
      REASON,
      {
        flag: '--happened <result>',
        about: 'the call in doubt was made, and this is what it came to: it is not made again',
        reads: 'json',
      },
      ...WHO,
    ],
    examples: [
      {
        line: `ambit sessions decide run_1f0… continue --happened '{"refund_id":"re_1"}' --packet sha256:9a4… --reason "seen at the bank" --as ana`,
        about: 'goes on with what was found out by hand',
      },
      {
        line: 'ambit sessions decide run_1f0… terminate --packet sha256:9a4… --reason "done by hand" --as ana',
        about: 'ends it',
      },
    ],
    load: async () => (await import('../actions/sessions.ts')).decideSession,
  },
  {
    name: 'sessions extend',
    about: 'Give a session more of what it has used up',
    words: [SESSION],
    flags: [
      {
        flag: '--add <dimension=n>',
        about: 'by how much a dimension of its budget grows',
        many: true,
        reads: 'amount',
      },
      PACKET,
      REASON,
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit sessions extend run_1f0… --add tool_calls=5 --reason "a long order" --as ana',
        about: 'five more calls',
      },
    ],
    load: async () => (await import('../actions/sessions.ts')).extendSession,
  },
  {
    name: 'sessions events',
    about: 'Everything that happened in a session, one line each',
    words: [SESSION],
    examples: [{ line: 'ambit sessions events run_1f0… --json', about: 'the journal as lines of JSON' }],
    load: async () => (await import('../actions/sessions.ts')).listEvents,
  },
];
