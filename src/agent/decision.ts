import { DecisionSpec } from '../model/critic/decision.ts';
import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { parseNamed } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { RiskClass } from '../model/policy/risk.ts';
import { unknownNames } from '../model/text/nearest.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import { isRecord, throwFaults } from './check/values.ts';

export interface DecisionOptions {
  readonly id: string;
  readonly description?: string;
  readonly version?: string;
  /** Evidence types that the decision requires. */
  readonly evidence?: readonly string[];
  /** Gates that must approve the decision. */
  readonly approvals?: readonly string[];
  /** Tools, or tool names, that may run only after the decision. */
  readonly actions?: readonly (BoundTool | string)[];
  readonly risk?: RiskClass;
  readonly judgement?: {
    readonly evaluators?: readonly string[];
    readonly controls?: readonly string[];
    readonly acceptThreshold?: number;
  };
}

const ACCEPT_THRESHOLD = 0.8;

/** Declares a decision of the catalogue. Its risk is high unless `risk` is set. */
export const decision: (options: DecisionOptions) => DecisionSpec = guardInput('decision', declareDecision);

function declareDecision(options: DecisionOptions): DecisionSpec {
  assertKnown(options);
  const { id, description = id, version = '1', evidence = [], approvals = [], actions = [], risk = 'high' } = options;
  const { evaluators = [], controls = [], acceptThreshold = ACCEPT_THRESHOLD } = options.judgement ?? {};
  const spec = {
    decision_id: id,
    version,
    description,
    evidence,
    approvals,
    controls,
    evaluators,
    accept_threshold: acceptThreshold,
    risk_class: risk,
    actions: actions.map((action) => (typeof action === 'string' ? action : action.spec.name)),
  };
  return deepFreeze(parseNamed(`decision ${printable(String(id))}`, DecisionSpec, spec, 'input_invalid'));
}

const OPTIONS: readonly string[] = [
  'id',
  'description',
  'version',
  'evidence',
  'approvals',
  'actions',
  'risk',
  'judgement',
];
const JUDGEMENT: readonly string[] = ['evaluators', 'controls', 'acceptThreshold'];

function assertKnown(options: DecisionOptions): void {
  const faults = [
    { path: '', value: options, known: OPTIONS },
    { path: '/judgement', value: options?.judgement ?? {}, known: JUDGEMENT },
  ].flatMap(({ path, value, known }) => {
    const unknown = isRecord(value) ? unknownNames(value, known) : null;
    if (isRecord(value) && unknown === null) return [];
    const message = unknown?.message ?? `must be an object with ${known.join(', ')}`;
    const place = path === '' ? '' : 'judgement: ';
    const name = `decision ${printable(String(options?.id))}`;
    return [
      new Fault('input_invalid', `${name}: ${place}${message}`, {
        path: unknown === null ? path : path + pointerToken(unknown.first),
      }),
    ];
  });
  throwFaults(faults);
}
