//! Why a file's tokenizer can't be used.

/// Why a tokenizer could not be built from a file's metadata, or a text not encoded with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// A key is missing or of the wrong type.
    #[error(transparent)]
    Metadata(#[from] gguf_file::Error),
    /// The tokenizer's algorithm is one we don't have.
    #[error("tokenizer.ggml.model: `{model}` is not supported; supported are: {supported}")]
    UnsupportedModel {
        /// As the file has it.
        model: String,
        /// Names that would do, separated by commas.
        supported: &'static str,
    },
    /// The rule for splitting text into words is one we don't have.
    #[error("tokenizer.ggml.pre: `{pre}` is not supported; supported are: {supported}")]
    UnsupportedPre {
        /// As the file has it.
        pre: String,
        /// Names that would do, separated by commas.
        supported: String,
    },
    /// A file from before `tokenizer.ggml.pre` was written: how its text is to be split can't be known.
    #[error(
        "tokenizer.ggml.pre is missing: this file does not say how text is split into words; convert the model \
         again with a current llama.cpp"
    )]
    MissingPre,
    /// `tokenizer.ggml.tokens` is empty.
    #[error("tokenizer.ggml.tokens: the vocabulary has no tokens")]
    EmptyVocabulary,
    /// More tokens than ids.
    #[error("tokenizer.ggml.tokens: {count} tokens are more than token ids can number")]
    VocabularyTooLarge {
        /// How many tokens there are.
        count: usize,
    },
    /// Two ids with one text: which of them a text means can't be known.
    #[error("tokenizer.ggml.tokens: tokens {first} and {second} are both `{text}`")]
    DuplicateToken {
        /// The lower id.
        first: u32,
        /// The higher id.
        second: u32,
        /// Their text, invalid UTF-8 replaced.
        text: String,
    },
    /// `tokenizer.ggml.token_type` has not one entry for each token.
    #[error("tokenizer.ggml.token_type: {types} types for {tokens} tokens")]
    TypeCount {
        /// Entries of `token_type`.
        types: usize,
        /// Entries of `tokens`.
        tokens: usize,
    },
    /// `tokenizer.ggml.scores` has not an entry for each token.
    #[error("tokenizer.ggml.scores: {scores} scores for {tokens} tokens")]
    ScoreCount {
        /// Entries of `scores`.
        scores: usize,
        /// Entries of `tokens`.
        tokens: usize,
    },
    /// A special token's id is past the end of the vocabulary.
    #[error("{key}: token {id} is past the end of the vocabulary of {vocabulary_size} tokens")]
    SpecialTokenId {
        /// The metadata key.
        key: &'static str,
        /// The id it gives.
        id: u32,
        /// How many tokens there are.
        vocabulary_size: usize,
    },
    /// A token is to be added to each text, but the file doesn't say which.
    #[error("{switch} is set, but there is no {key}")]
    NothingToAdd {
        /// The key that asks for the token.
        switch: &'static str,
        /// The key that should name it.
        key: &'static str,
    },
    /// The special tokens are too many or too long to search for.
    #[error("tokenizer.ggml.tokens: the special tokens can't be searched for")]
    SpecialTokens(#[source] aho_corasick::BuildError),
    /// The text is too long for 32-bit positions.
    #[error("a text of {bytes} bytes is too long to encode at once; the limit is 4 GiB")]
    TextTooLong {
        /// The text's length.
        bytes: usize,
    },
}
