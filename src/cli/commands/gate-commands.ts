import type { Command } from '../command.ts';
import { GATE, PACKET, REASON, WHO } from './shared-flags.ts';

export const GATE_COMMANDS: readonly Command[] = [
  {
    name: 'gates list',
    about: 'What waits for a person',
    flags: [{ flag: '--tenant <id>', about: 'of this tenant alone' }],
    examples: [{ line: 'ambit gates list', about: 'of every agent and process on the store' }],
    load: async () => (await import('../actions/gates.ts')).listGates,
  },
  {
    name: 'gates show',
    about: 'The packet of a gate, word for word, and its hash',
    words: [GATE],
    examples: [
      { line: 'ambit gates show gate_run_1f0…_1', about: 'exact arguments, where they come from, cost, expiry' },
      { line: 'ambit gates show gate_run_1f0…_1 --json', about: 'the same for a program' },
    ],
    load: async () => (await import('../actions/gates.ts')).showGate,
  },
  {
    name: 'gates approve',
    about: 'Approve exactly the packet that you have seen; the run goes on',
    words: [GATE],
    flags: [PACKET, REASON, ...WHO],
    examples: [
      { line: 'ambit gates approve gate_run_1f0…_1', about: 'at a terminal: shows the packet, then asks' },
      {
        line: 'ambit gates approve gate_run_1f0…_1 --packet sha256:9a4… --reason "within policy" --as ana',
        about: 'in a script',
      },
      {
        line: 'ambit gates approve gate_run_1f0…_1 --packet sha256:9a4… --reason "…" --key ana.key.json',
        about: 'signed',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).approveGate,
  },
  {
    name: 'gates reject',
    about: 'Say no; the run ends without having acted',
    words: [GATE],
    flags: [PACKET, REASON, ...WHO],
    examples: [
      {
        line: 'ambit gates reject gate_run_1f0…_1 --packet sha256:9a4… --reason "not covered" --as ana',
        about: 'for good',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).rejectGate,
  },
  {
    name: 'gates edit',
    about: 'Put other arguments in place; they are checked and shown anew',
    words: [GATE],
    flags: [
      { flag: '--set <name=value>', about: 'another value for an argument', many: true, reads: 'assignment' },
      { flag: '--parameters-file <file>', about: 'all arguments, from a JSON file', completes: 'file' },
      PACKET,
      REASON,
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit gates edit gate_run_1f0…_1 --set amount_cents=2000 --packet sha256:9a4… --reason "half" --as ana',
        about: 'asks again',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).editGate,
  },
  {
    name: 'gates ask',
    about: 'Ask something first; the gate stays open',
    words: [GATE],
    flags: [
      PACKET,
      REASON,
      { flag: '--of <name>', about: 'of whom; of the one for whom the run acts, unless said' },
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit gates ask gate_run_1f0…_1 --packet sha256:9a4… --reason "Which invoice is it?" --as ana',
        about: 'the reason is the question',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).askGate,
  },
  {
    name: 'gates answer',
    about: 'Answer what somebody asked before they decide; the gate asks anew',
    words: [GATE],
    flags: [
      { flag: '--text <text>', about: 'the answer' },
      { flag: '--evidence <address>', about: 'what it points to', many: true },
      PACKET,
      ...WHO,
    ],
    examples: [
      {
        line: 'ambit gates answer gate_run_1f0…_1 --text "That of the roofer." --as ada',
        about: 'only who was asked can',
      },
    ],
    load: async () => (await import('../actions/gates.ts')).answerGate,
  },
];
