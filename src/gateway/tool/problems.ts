import { APPROVAL_MODES, type ApprovalMode } from '../../model/approval-mode.ts';
import { Fault } from '../../model/fault.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import type { AnyToolOptions } from './options.ts';
import { undoOf } from './to-spec.ts';

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': [
    'name',
    'description',
    'version',
    'approvalMode',
    'inputSchema',
    'outputSchema',
    'execute',
    'effects',
    'limits',
    'risk',
    'rules',
    'examples',
  ],
  effects: [
    'idempotency',
    'verify',
    'reconcile',
    'compensate',
    'produces',
    'needs',
    'sideEffect',
    'equivalents',
    'degraded',
  ],
  limits: ['timeoutMs', 'retries', 'rate', 'concurrency', 'payloadMaxBytes', 'external'],
  risk: ['category', 'gates', 'trusted', 'cost', 'blastRadius', 'rollback', 'sensitive', 'unwrap'],
  rules: ['action', 'allow', 'category', 'privacy', 'asserts'],
};

/** What is wrong with a declaration before anything is made of it, each with what to do about it. */
export function declarationFaults(options: AnyToolOptions): readonly Fault[] {
  return [...modeFaults(options), ...unknownOptions(options), ...codeFaults(options), ...effectFaults(options)];
}

export const isApprovalMode = (mode: unknown): mode is ApprovalMode => APPROVAL_MODES.includes(mode as ApprovalMode);

/** A mode that nobody declared is not guessed: the guess would decide whether a person is asked. */
function modeFaults({ approvalMode }: AnyToolOptions): readonly Fault[] {
  if (isApprovalMode(approvalMode)) return [];
  const given = approvalMode === undefined ? 'is missing' : `${printable(JSON.stringify(approvalMode) ?? '')} is none`;
  const message = `approvalMode ${given}: say what a call may do, one of ${APPROVAL_MODES.join(', ')}`;
  return [new Fault('approval_mode_undeclared', message, { path: '/approvalMode' })];
}

function unknownOptions(options: AnyToolOptions): readonly Fault[] {
  return Object.entries(KNOWN).flatMap(([group, known]) => {
    const given: unknown = group === '' ? options : options[group as 'effects'];
    if (given === undefined) return [];
    const path = group === '' ? '' : pointerToken(group);
    if (typeof given !== 'object' || given === null) {
      return [wrong(path, `${group} is an object with ${known.join(', ')}`)];
    }
    const strange = Object.keys(given).filter((key) => !known.includes(key));
    if (strange.length === 0) return [];
    const names = printable(strange.join(', '));
    return [wrong(path + pointerToken(strange[0] ?? ''), `there is no option ${names}; there are ${known.join(', ')}`)];
  });
}

function codeFaults({ execute }: AnyToolOptions): readonly Fault[] {
  return typeof execute === 'function' ? [] : [wrong('/execute', 'execute is missing: give the function that does it')];
}

function effectFaults({ approvalMode, effects }: AnyToolOptions): readonly Fault[] {
  if (typeof effects !== 'object' || effects === null) return [];
  const { sideEffect, verify, reconcile, compensate, idempotency } = effects;
  return [
    ...(approvalMode === 'read_only' && sideEffect === true
      ? [wrong('/effects/sideEffect', 'a tool with side effects is not read_only: use local_write or a stricter mode')]
      : []),
    ...(approvalMode === 'read_only' && compensate !== undefined
      ? [wrong('/effects/compensate', 'a read_only tool leaves nothing to take back: drop compensate')]
      : []),
    ...(idempotency !== undefined && typeof idempotency === 'object' && !(idempotency.retentionMs > 0)
      ? [wrong('/effects/idempotency/retentionMs', 'say for how many milliseconds the tool remembers a key')]
      : []),
    ...probeFaults('verify', verify?.probe, verify !== undefined),
    ...probeFaults('reconcile', reconcile?.probe, reconcile !== undefined),
    ...(verify !== undefined && typeof verify.expect !== 'function'
      ? [
          wrong(
            '/effects/verify/expect',
            'expect is missing: give a function that says whether the probe found it done',
          ),
        ]
      : []),
    ...(compensate !== undefined && undoOf(compensate)?.spec === undefined
      ? [wrong('/effects/compensate', 'compensate is no tool: give one that tool() made, or { tool, args }')]
      : []),
  ];
}

type Probe = NonNullable<NonNullable<AnyToolOptions['effects']>['reconcile']>['probe'];

/** A probe is called without asking anybody, so it may only look. */
function probeFaults(kind: 'verify' | 'reconcile', probe: Probe | undefined, declared: boolean): readonly Fault[] {
  if (!declared) return [];
  const path = `/effects/${kind}/probe`;
  if (probe?.spec === undefined) return [wrong(path, `${kind} has no probe: give a read-only tool that tool() made`)];
  const { name, approval_mode, side_effect } = probe.spec;
  if (approval_mode === 'read_only' && !side_effect) return [];
  return [wrong(path, `the probe ${name} is ${approval_mode}: a probe only looks, so it must be read_only`)];
}

export const wrong = (path: string, message: string): Fault => new Fault('input_invalid', message, { path });
