import type { ModelPrice } from '../../model/budget/model-price.ts';
import { Fault } from '../../model/fault/fault.ts';
import { Name } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import type { ForeignModel, LanguageModel, ModelProfile, Models } from '../../ports/model/language-model.ts';

/** A connected model of a profile, with its price. */
export interface RepairChoice {
  readonly model: LanguageModel;
  readonly price: ModelPrice;
}

/** The models of a profile in order of preference, each connected or as the fault that prevents it. */
export function choicesOf(
  models: Models,
  profile: Pick<ModelProfile, 'model' | 'price' | 'fallbacks'>,
): readonly (RepairChoice | Fault)[] {
  const first = choiceOf(models, profile.model, profile.price);
  return [first, ...profile.fallbacks.map((named) => choiceOf(models, ...parts(named)))];
}

type Named = ModelProfile['fallbacks'][number];

const parts = (named: Named): readonly [LanguageModel | ForeignModel, ModelPrice | null] =>
  'model' in named ? [named.model, named.price] : [named, null];

function choiceOf(
  models: Models,
  named: LanguageModel | ForeignModel,
  profilePrice: ModelPrice | null,
): RepairChoice | Fault {
  try {
    const model = models.connect(named);
    parse(Name, model.id, 'model_misconfigured');
    const price = profilePrice ?? model.price ?? models.priceOf(model.id);
    return price === null ? unpriced(model.id) : { model, price };
  } catch (error) {
    if (Fault.is(error)) return error;
    return new Fault('model_misconfigured', `the model cannot be connected: ${String(error)}`, { cause: error });
  }
}

/** Without a price no budget can be enforced. */
function unpriced(id: string): Fault {
  const message = `the price of ${id} is unknown: give its profile a price, { input, output } in millionths of a dollar for a million tokens, or 'free' for a model that costs nothing to ask; a fallback is given one as { model, price }`;
  return new Fault('model_misconfigured', message);
}
