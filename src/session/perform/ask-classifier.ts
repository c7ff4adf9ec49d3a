import type { Derived } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { IntentSpec } from '../../model/plan/intent.ts';
import { asksForAction } from '../../model/text/asks-for-action.ts';
import { offerOf } from '../../model/text/courtesy.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { Classifier, ClassifierRequest, Reading } from '../../ports/model/model-roles.ts';
import { answerEvent, askRole, type RolePorts, type RoleQuestion } from './ask-role.ts';

/** The classifier, and the budget for one request. */
export interface Reader extends RolePorts {
  readonly classifier: Classifier;
  readonly allowance: ToolCost;
}

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

/** Asks the classifier. A failure, a timeout or a cancellation counts as no reading; the user is then asked. */
export async function askClassifier(
  reader: Reader,
  request: Pick<ClassifierRequest, 'goal' | 'messages'>,
  intents: readonly IntentSpec[],
  { candidates }: EffectOf<'read_intent'>,
  recall: AbortSignal,
): Promise<Derived> {
  const readings = intents.filter(({ intent }) => candidates.includes(intent));
  const question: RoleQuestion<Reading> = {
    role: reader.classifier,
    allowance: reader.allowance,
    ask: async (client) => validReading(await reader.classifier.classify({ ...request, readings }, client)),
    failed: () => NOTHING_READ,
  };
  const { result, account } = await askRole(reader, question, recall);
  const isOffTopic = result.intent === null && result.offTopic === true;
  const chosen = readings.find(({ intent }) => intent === result.intent);
  return answerEvent(
    {
      type: 'intent_read',
      intent: chosen?.intent ?? null,
      task_class: chosen?.task_class ?? 'unknown',
      confidence: chosen === undefined && !isOffTopic ? 0 : result.confidence,
      spent: account.spent,
      ...(isOffTopic ? { declined: `I cannot help with that. ${offerOf(intents)}` } : {}),
      ...(isOffTopic && (result.actionRequested === true || asksForAction(request.goal.statement))
        ? { impossible: true }
        : {}),
    },
    account,
  );
}

/** An invalid reading of a custom classifier counts as none. */
function validReading(reading: Partial<Reading> | null | undefined): Reading {
  const { intent = null, confidence = 0, offTopic, actionRequested } = reading ?? {};
  const valid = {
    intent,
    confidence,
    ...(offTopic === true ? { offTopic } : {}),
    ...(actionRequested === true ? { actionRequested } : {}),
  };
  return confidence >= 0 && confidence <= 1 ? valid : NOTHING_READ;
}
