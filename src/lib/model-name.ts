const names: Record<string, string> = {
  builtin: 'built-in model',
  descriptors: 'basic built-in model',
  'siglip-base-patch16-224': 'SigLIP Base',
  'siglip2-base-patch16-224': 'SigLIP 2 Base',
  'siglip2-large-patch16-256': 'SigLIP 2 Large',
  'siglip2-so400m-patch16-256': 'SigLIP 2 So400m',
  'embeddinggemma-2': 'EmbeddingGemma 2',
  'clip-vit-base-patch32': 'CLIP ViT-B/32',
};

/** What people call a model, from its identifier, such as `builtin@4`; one without a name of its own by its identifier. */
export function modelName(id: string): string {
  const [name = id] = id.split('@');
  return names[name] ?? name;
}
