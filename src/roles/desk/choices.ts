import { Fault } from '../../model/fault.ts';
import type { ModelPrice } from '../../model/model-price.ts';
import { Name } from '../../model/name.ts';
import { parse } from '../../model/parse.ts';
import type { ForeignModel, LanguageModel, ModelProfile, Models } from '../../ports/language-model.ts';

/** A model of a profile, ready to be asked. */
export interface Choice {
  readonly model: LanguageModel;
  readonly price: ModelPrice;
}

/** The models of a profile in the order in which they are asked: each, or why it cannot be. */
export function choicesOf(models: Models, profile: ModelProfile): readonly (Choice | Fault)[] {
  const first = choiceOf(models, profile.model, profile.price);
  return [first, ...profile.fallbacks.map((named) => choiceOf(models, ...parts(named)))];
}

type Named = ModelProfile['fallbacks'][number];

const parts = (named: Named): readonly [LanguageModel | ForeignModel, ModelPrice | null] =>
  'model' in named ? [named.model, named.price] : [named, null];

function choiceOf(models: Models, named: LanguageModel | ForeignModel, given: ModelPrice | null): Choice | Fault {
  try {
    const model = models.connect(named);
    parse(Name, model.id, 'model_misconfigured');
    const price = given ?? model.price ?? models.priceOf(model.id);
    return price === null ? unpriced(model.id) : { model, price };
  } catch (error) {
    if (Fault.is(error)) return error;
    return new Fault('model_misconfigured', `the model cannot be connected: ${String(error)}`, { cause: error });
  }
}

/** Whoever does not know what a model costs cannot keep to a budget with it. */
function unpriced(id: string): Fault {
  const message = `nobody knows what ${id} costs: give its profile a price, { input, output } in millionths of a dollar for a million tokens, or 'free' for a model that costs nothing to ask; a fallback is given one as { model, price }`;
  return new Fault('model_misconfigured', message);
}
