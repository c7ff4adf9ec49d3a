import type { Models } from '../../ports/language-model.ts';
import { connect } from './models/connect.ts';
import { countTokens } from './models/count-tokens.ts';
import { priceOf } from './models/prices.ts';

/** Models of the AI SDK, by their own interface; the SDK itself is not loaded for them. */
export const knownModels: Models = { connect, priceOf, countTokens };
