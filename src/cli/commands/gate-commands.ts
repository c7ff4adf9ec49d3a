import type { Command } from '../command.ts';
import { DECIDER_FLAGS, GATE, PACKET, REASON } from './shared-options.ts';

export const GATE_COMMANDS: readonly Command[] = [
  {
    name: 'gates list',
    description: 'List the open gates',
    flags: [{ flag: '--tenant <id>', description: 'only gates of this tenant' }],
    examples: [{ line: 'ambit gates list', description: 'gates of every agent in the store' }],
    load: async () => (await import('../actions/gates.ts')).listGatesAction,
  },
  {
    name: 'gates show',
    description: 'Show the full approval packet of a gate and its hash',
    args: [GATE],
    examples: [
      { line: 'ambit gates show gate_run_1f0…_1', description: 'arguments with their sources, cost and expiry' },
      { line: 'ambit gates show gate_run_1f0…_1 --json', description: 'as JSON' },
    ],
    load: async () => (await import('../actions/gates.ts')).showGateAction,
  },
  {
    name: 'gates approve',
    description: 'Approve exactly the packet you have read and continue the run',
    args: [GATE],
    flags: [
      PACKET,
      REASON,
      {
        flag: '--for <gate>',
        description: 'gate to approve, if the call has several (default: all that you may decide)',
        repeatable: true,
      },
      ...DECIDER_FLAGS,
    ],
    examples: [
      { line: 'ambit gates approve gate_run_1f0…_1', description: 'at a terminal: shows the packet, then prompts' },
      {
        line: 'ambit gates approve gate_run_1f0…_1 --packet sha256:9a4… --reason "within policy" --as ana --role finance',
        description: 'in a script',
      },
      {
        line: 'ambit gates approve gate_run_1f0…_1 --packet sha256:9a4… --reason "…" --key ana.key.json',
        description: 'with a signature',
      },
      {
        line: 'ambit gates approve gate_run_1f0…_1 --for GATE_LEGAL --packet sha256:9a4… --reason "…" --as bo',
        description: 'one of several gates of the call',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).approveGateAction,
  },
  {
    name: 'gates reject',
    description: 'Reject a gate and end the run without the call',
    args: [GATE],
    flags: [PACKET, REASON, ...DECIDER_FLAGS],
    examples: [
      {
        line: 'ambit gates reject gate_run_1f0…_1 --packet sha256:9a4… --reason "not covered" --as ana',
        description: 'the rejection is final',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).rejectGateAction,
  },
  {
    name: 'gates edit',
    description: 'Change the arguments of a gated call; the gate opens again with a new packet',
    args: [GATE],
    flags: [
      {
        flag: '--set <name=value>',
        description: 'new value of an argument',
        repeatable: true,
        valueKind: 'assignment',
      },
      { flag: '--parameters-file <file>', description: 'JSON file with all arguments', completion: 'file' },
      PACKET,
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit gates edit gate_run_1f0…_1 --set amount_cents=2000 --packet sha256:9a4… --reason "half" --as ana',
        description: 'halves the amount',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).editGateAction,
  },
  {
    name: 'gates ask',
    description: 'Ask a question before deciding; the gate stays open',
    args: [GATE],
    flags: [
      PACKET,
      REASON,
      { flag: '--of <name>', description: 'person to ask (default: the actor of the run)' },
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit gates ask gate_run_1f0…_1 --packet sha256:9a4… --reason "Which invoice is it?" --as ana',
        description: '--reason is the question',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).askGateAction,
  },
  {
    name: 'gates answer',
    description: "Answer an approver's question; the gate opens again with a new packet",
    args: [GATE],
    flags: [
      { flag: '--text <text>', description: 'answer' },
      { flag: '--evidence <address>', description: 'address of supporting evidence', repeatable: true },
      PACKET,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit gates answer gate_run_1f0…_1 --text "The roofer\'s invoice." --as ada',
        description: 'only the person who was asked can answer',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).answerGateAction,
  },
];
