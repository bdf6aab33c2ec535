//! The pieces of a layer, as most families have them.

use super::BuildError;
use super::decoder::{
    Attention, Experts, FeedForward, Gated, Layer, Linear, Mlp, Norm, Plain, ProjectionNorm, ProjectionRows,
    SharedExpert,
};
use super::model::{Before, Model, Style};
use super::names::LayerPart;
use super::rope::Pairs;
use super::tensors::Part;
use crate::graph::{Activation, RowOrder};

/// A layer of a model that is read.
pub(super) struct LayerReader<'m, 'g> {
    pub(super) model: &'m Model<'g>,
    pub(super) style: Style,
    pub(super) index: u64,
}

impl LayerReader<'_, '_> {
    /// Attention, then a feed-forward, each with a norm before it and added to the hidden state.
    pub(super) fn layer(&self, attention: Attention, feed_forward: FeedForward) -> Layer {
        Layer { attention, feed_forward, parallel: false, residual_scale: 1.0 }
    }

    /// Grouped-query attention to all earlier positions, queries and keys turned by the first of the ropes.
    pub(super) fn attention(&self) -> Result<Attention, BuildError> {
        let hyper = &self.model.hyper;
        let [query, key, value] = self.projections()?;
        let output = [hyper.head_count * hyper.head_dim, hyper.embedding_length];
        Ok(Attention {
            norm: match self.style.before {
                Before::Norms | Before::NormOfAttention => Some(self.norm(LayerPart::AttentionNorm)?),
                Before::Nothing => None,
            },
            query,
            key,
            value,
            query_norm: None,
            key_norm: None,
            rope: self.style.pairs.map(|_| 0),
            scale: 1.0 / (hyper.head_dim as f32).sqrt(),
            window: None,
            cap: None,
            output: self.linear(LayerPart::AttentionOutput, output, RowOrder::AsStored)?,
            post_norm: None,
        })
    }

    /// `down(activation(gate(x)) · up(x))`, x being normed.
    pub(super) fn gated(&self, activation: Activation) -> Result<FeedForward, BuildError> {
        self.model.keys.refuse("expert_count", "a mixture of experts")?;
        let parts = [LayerPart::Gate, LayerPart::Up, LayerPart::Down];
        let gated = self.gated_of(parts, self.model.keys.uniform("feed_forward_length")?, activation)?;
        self.feed_forward(Mlp::Gated(Box::new(gated)))
    }

    /// The same with gate and up in one matrix, the gate's rows first.
    pub(super) fn gated_in_one(&self, activation: Activation) -> Result<FeedForward, BuildError> {
        let width = self.model.hyper.embedding_length;
        let hidden = self.model.keys.uniform("feed_forward_length")?;
        let of = hidden.saturating_mul(2);
        let half = |name, rows| -> Result<Linear, BuildError> {
            let (name, part) = (LayerPart::Up.weight(self.index), Part { name, rows, of });
            let weight = self.model.tensors.part_of_projection(&name, width, &part, RowOrder::AsStored)?;
            Ok(Linear { weight, bias: None })
        };
        self.feed_forward(Mlp::Gated(Box::new(Gated {
            gate: half("gate", 0..hidden)?,
            up: half("up", hidden..of)?,
            down: self.linear(LayerPart::Down, [hidden, width], RowOrder::AsStored)?,
            activation,
        })))
    }

    /// `down(activation(up(x)))`, x being normed.
    pub(super) fn plain(&self, activation: Activation) -> Result<FeedForward, BuildError> {
        let width = self.model.hyper.embedding_length;
        let hidden = self.model.keys.uniform("feed_forward_length")?;
        self.feed_forward(Mlp::Plain(Box::new(Plain {
            up: self.linear(LayerPart::Up, [width, hidden], RowOrder::AsStored)?,
            down: self.linear(LayerPart::Down, [hidden, width], RowOrder::AsStored)?,
            activation,
        })))
    }

    /// A few of many gated feed-forwards, each of a hidden state of `hidden` numbers.
    pub(super) fn experts(
        &self,
        hidden: u64,
        normalised: bool,
        shared: Option<SharedExpert>,
    ) -> Result<FeedForward, BuildError> {
        let Model { keys, hyper, tensors, .. } = self.model;
        keys.refuse("expert_group_count", "experts in groups")?;
        let (width, count) = (hyper.embedding_length, keys.positive("expert_count")?);
        let used = keys.uniform("expert_used_count")?;
        if used > count {
            return Err(keys.bad("expert_used_count", used, format!("there are only {count} experts")));
        }
        let matrices =
            |part: LayerPart, rows, columns| tensors.matrices(&part.weight(self.index), count, rows, columns);
        self.feed_forward(Mlp::Experts(Box::new(Experts {
            router: self.linear(LayerPart::Router, [width, count], RowOrder::AsStored)?,
            gate: matrices(LayerPart::ExpertsGate, hidden, width)?,
            up: matrices(LayerPart::ExpertsUp, hidden, width)?,
            down: matrices(LayerPart::ExpertsDown, width, hidden)?,
            used,
            activation: Activation::Silu,
            normalised,
            shared,
        })))
    }

    /// An expert that every position has, of a hidden state of `hidden` numbers, with a gate of its own.
    pub(super) fn shared_expert(&self, hidden: u64) -> Result<SharedExpert, BuildError> {
        let width = self.model.hyper.embedding_length;
        let parts = [LayerPart::SharedGate, LayerPart::SharedUp, LayerPart::SharedDown];
        Ok(SharedExpert {
            mlp: self.gated_of(parts, hidden, Activation::Silu)?,
            gate: Some(self.linear(LayerPart::SharedRouter, [width, 1], RowOrder::AsStored)?),
        })
    }

    fn gated_of(
        &self,
        [gate, up, down]: [LayerPart; 3],
        hidden: u64,
        activation: Activation,
    ) -> Result<Gated, BuildError> {
        let width = self.model.hyper.embedding_length;
        let linear = |part, sizes| self.linear(part, sizes, RowOrder::AsStored);
        Ok(Gated {
            gate: linear(gate, [width, hidden])?,
            up: linear(up, [width, hidden])?,
            down: linear(down, [hidden, width])?,
            activation,
        })
    }

    fn feed_forward(&self, mlp: Mlp) -> Result<FeedForward, BuildError> {
        let part = LayerPart::FeedForwardNorm;
        let norm = match self.style.before {
            Before::Norms => Some(self.norm(part)?),
            Before::NormOfAttention if self.model.tensors.has(&part.weight(self.index)) => {
                Some(self.norm(part)?)
            }
            Before::NormOfAttention | Before::Nothing => None,
        };
        Ok(FeedForward { norm, mlp, post_norm: None })
    }

    /// A norm of hidden states that must be there.
    pub(super) fn norm(&self, part: LayerPart) -> Result<Norm, BuildError> {
        self.model.norm(self.style.norm, &part.weight(self.index), &part.bias(self.index))
    }

    /// A norm of each head, with one gain for all heads.
    pub(super) fn head_norm(&self, part: LayerPart) -> Result<ProjectionNorm, BuildError> {
        let name = part.weight(self.index);
        // One head's order is every head's.
        let order = self.row_order(1);
        let gain = self.model.tensors.vector(&name, self.model.hyper.head_dim, order)?;
        let norm = Norm { kind: self.style.norm, gain, bias: None };
        Ok(ProjectionNorm { norm, rows: ProjectionRows::Heads })
    }

    /// A norm of each of `heads` heads, with a gain of its own for each, if the model has it.
    pub(super) fn opt_norm_of_each_head(
        &self,
        part: LayerPart,
        heads: u64,
    ) -> Result<Option<ProjectionNorm>, BuildError> {
        let name = part.weight(self.index);
        if !self.model.tensors.has(&name) {
            return Ok(None);
        }
        let head_dim = self.model.hyper.head_dim;
        let gain = self.model.tensors.vectors(&name, head_dim, heads, self.row_order(heads))?;
        let norm = Norm { kind: self.style.norm, gain, bias: None };
        Ok(Some(ProjectionNorm { norm, rows: ProjectionRows::Heads }))
    }

    /// A norm of all of `heads` heads together.
    pub(super) fn projection_norm(&self, part: LayerPart, heads: u64) -> Result<ProjectionNorm, BuildError> {
        let length = heads * self.model.hyper.head_dim;
        let gain = self.model.tensors.vector(&part.weight(self.index), length, self.row_order(heads))?;
        let norm = Norm { kind: self.style.norm, gain, bias: None };
        Ok(ProjectionNorm { norm, rows: ProjectionRows::Positions })
    }

    /// Queries, keys and values, in a matrix each or in one.
    pub(super) fn projections(&self) -> Result<[Linear; 3], BuildError> {
        let hyper = &self.model.hyper;
        let width = hyper.embedding_length;
        let [queries, keys] = [hyper.head_count, hyper.kv_head_count].map(|heads| heads * hyper.head_dim);
        let [query_order, key_order] =
            [hyper.head_count, hyper.kv_head_count].map(|heads| self.row_order(heads));
        let as_stored = RowOrder::AsStored;
        if !self.model.tensors.has(&LayerPart::QueryKeyValue.weight(self.index)) {
            return Ok([
                self.linear(LayerPart::Query, [width, queries], query_order)?,
                self.linear(LayerPart::Key, [width, keys], key_order)?,
                self.linear(LayerPart::Value, [width, keys], as_stored)?,
            ]);
        }
        let of = queries + 2 * keys;
        let part = |name, rows, order| {
            self.part_of_linear(LayerPart::QueryKeyValue, width, &Part { name, rows, of }, order)
        };
        Ok([
            part("q", 0..queries, query_order)?,
            part("k", queries..queries + keys, key_order)?,
            part("v", queries + keys..of, as_stored)?,
        ])
    }

    /// The order in which the archive has the rows of `heads` heads of queries or keys.
    fn row_order(&self, head_count: u64) -> RowOrder {
        let (head_dim, rotated) = (self.model.hyper.head_dim, self.model.hyper.rope_dimension_count);
        match self.style.pairs {
            Some(Pairs::Interleaved) => RowOrder::RopeHalves { head_count, head_dim },
            Some(Pairs::Halves) if rotated < head_dim => {
                RowOrder::PartialHalves { head_count, head_dim, rotated }
            }
            Some(Pairs::Halves) | None => RowOrder::AsStored,
        }
    }

    /// A matrix, and its bias if the file has one.
    pub(super) fn linear(
        &self,
        part: LayerPart,
        [inputs, outputs]: [u64; 2],
        row_order: RowOrder,
    ) -> Result<Linear, BuildError> {
        let tensors = &self.model.tensors;
        let bias = part.bias(self.index);
        Ok(Linear {
            weight: tensors.projection(&part.weight(self.index), [inputs, outputs], row_order)?,
            bias: match tensors.has(&bias) {
                true => Some(tensors.vector(&bias, outputs, row_order)?),
                false => None,
            },
        })
    }

    /// Some rows of a matrix, and of its bias if the file has one.
    fn part_of_linear(
        &self,
        tensor: LayerPart,
        inputs: u64,
        part: &Part<'_>,
        row_order: RowOrder,
    ) -> Result<Linear, BuildError> {
        let tensors = &self.model.tensors;
        let (weight, bias) = (tensor.weight(self.index), tensor.bias(self.index));
        Ok(Linear {
            weight: tensors.part_of_projection(&weight, inputs, part, row_order)?,
            bias: match tensors.has(&bias) {
                true => Some(tensors.part_of_vector(&bias, part, row_order)?),
                false => None,
            },
        })
    }
}
