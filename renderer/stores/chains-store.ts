import type { ChainSummary } from '../../shared/api/contract.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

/** The chains in the data home, broken files among them. */
export const useChains = createLoadedStore<ChainSummary[]>(() => api.chains.list());
