//! The export form: text as it is typed, checked field by field.

use crate::messages::ModelCard;
use studio_core::options::{
    Activations, CacheElement, CpuOptions, ExportOptions, Form, GraphKind, Kernels, Weights,
};

/// The form's fields as they stand, sensible or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionsForm {
    /// The form of the text.
    pub form: FormChoice,
    /// The kernels of the cpu form; those that the runner runs best where nobody chose.
    pub kernels: Option<Kernels>,
    /// The kernels that the runner runs best.
    pub runner_kernels: Kernels,
    /// What the cpu form turns vectors into before a product.
    pub activations: Activations,
    /// What the cpu form's cache holds.
    pub cache: CacheElement,
    /// Whether the redecode graph is wanted.
    pub redecode: bool,
    /// Whether the kv graphs are wanted.
    pub kv: bool,
    /// Whether the embed graph is wanted: encoders have no other.
    pub embed: bool,
    /// What the weights are stored as.
    pub weights: Weights,
    /// Tokens of the redecode or embed sequence.
    pub seq: String,
    /// Positions of the cache.
    pub context: String,
    /// Tokens of a prefill call.
    pub chunk: String,
    /// The redecode function's name.
    pub function_name: String,
    /// Whether a `.safetensors` is wanted too.
    pub safetensors: bool,
}

/// The form of the text, without what each has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormChoice {
    /// Calls of kernels for processors.
    Cpu,
    /// StableHLO and nothing else.
    Stablehlo,
}

/// What the form has to know of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// Positions that it was trained for.
    pub context_length: Option<u64>,
    /// Whether it gives a text's vector and generates no tokens.
    pub is_encoder: bool,
    /// Whether the cpu form has kernels for it.
    pub has_kernels: bool,
}

impl Subject {
    /// A model of which nothing is known.
    pub const UNKNOWN: Self = Self { context_length: None, is_encoder: false, has_kernels: true };

    /// What the card says.
    pub fn of(card: &ModelCard) -> Self {
        let cpu = card.forms.iter().find(|support| support.form == FormChoice::Cpu.name());
        Self {
            context_length: card.context_length,
            is_encoder: card.is_encoder,
            has_kernels: cpu.is_some_and(|support| support.unsupported.is_none()),
        }
    }

    /// The form that is usual for it.
    fn form(self) -> FormChoice {
        if self.has_kernels { FormChoice::Cpu } else { FormChoice::Stablehlo }
    }
}

impl FormChoice {
    /// The name that cards and the command line have for it.
    pub fn name(self) -> &'static str {
        match self {
            FormChoice::Cpu => "cpu",
            FormChoice::Stablehlo => "stablehlo",
        }
    }
}

/// A field of the form, for a message beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The choice of graphs.
    Graphs,
    /// `seq`
    Seq,
    /// `context`
    Context,
    /// `chunk`
    Chunk,
    /// `function_name`
    FunctionName,
}

/// A field and what is wrong with it.
pub type FieldError = (Field, String);

impl Default for OptionsForm {
    fn default() -> Self {
        Self::from_options(&usual(FormChoice::Cpu, Kernels::Portable, false))
    }
}

/// What is usual for a form.
fn usual(form: FormChoice, kernels: Kernels, is_encoder: bool) -> ExportOptions {
    let form = match form {
        FormChoice::Cpu => Form::Cpu(CpuOptions::of(kernels)),
        FormChoice::Stablehlo => Form::Stablehlo,
    };
    match is_encoder {
        true => ExportOptions { form, ..ExportOptions::embedding() },
        false => ExportOptions::of(form),
    }
}

impl OptionsForm {
    /// The form that gives these options.
    pub fn from_options(options: &ExportOptions) -> Self {
        let (form, cpu) = match options.form {
            Form::Cpu(cpu) => (FormChoice::Cpu, cpu),
            Form::Stablehlo => (FormChoice::Stablehlo, CpuOptions::of(Kernels::Portable)),
        };
        Self {
            form,
            kernels: None,
            runner_kernels: cpu.kernels,
            activations: cpu.activations,
            cache: cpu.cache,
            redecode: options.graphs.contains(&GraphKind::Redecode),
            kv: options.graphs.contains(&GraphKind::Kv),
            embed: options.graphs.contains(&GraphKind::Embed),
            weights: options.weights,
            seq: options.seq.to_string(),
            context: options.context.to_string(),
            chunk: options.chunk.to_string(),
            function_name: options.function_name.clone(),
            safetensors: options.safetensors,
        }
    }

    /// Takes another form, with the weights, graphs and chunk that are usual for it.
    pub fn choose_form(&mut self, form: FormChoice, subject: Subject) {
        let usual = Self::of(&usual(form, self.runner_kernels, subject.is_encoder), subject);
        let Self { weights, redecode, kv, chunk, safetensors, .. } = usual;
        *self = Self { form, weights, redecode, kv, chunk, safetensors, ..self.clone() };
    }

    /// The defaults for a model and a runner: no cache longer than the model can use. What the runner's kernels are is kept
    /// for when somebody chooses the cpu form.
    pub fn for_model(subject: Subject, runner_kernels: Kernels) -> Self {
        let usual = usual(subject.form(), runner_kernels, subject.is_encoder);
        Self { runner_kernels, ..Self::of(&usual, subject) }
    }

    fn of(options: &ExportOptions, subject: Subject) -> Self {
        Self::from_options(&options.clone().within(subject.context_length))
    }

    /// The options, or everything that is wrong with the form. Fields of a graph that isn't wanted don't count.
    pub fn check(&self) -> Result<ExportOptions, Vec<FieldError>> {
        let mut errors = Vec::new();
        let defaults = usual(self.form, self.runner_kernels, self.embed);
        if !self.redecode && !self.kv && !self.embed {
            errors.push((Field::Graphs, "Choose at least one graph".to_owned()));
        }
        let mut number = |wanted: bool, field, text: &str, default| {
            if !wanted {
                return default;
            }
            positive(text).unwrap_or_else(|message| {
                errors.push((field, message));
                default
            })
        };
        let has_seq = self.redecode || self.embed;
        let seq = number(has_seq, Field::Seq, &self.seq, defaults.seq);
        let context = number(self.kv, Field::Context, &self.context, defaults.context);
        let chunk = number(self.kv, Field::Chunk, &self.chunk, defaults.chunk);
        if self.kv && chunk > context {
            errors.push((Field::Chunk, "Longer than the context".to_owned()));
        }
        if self.redecode && !is_identifier(&self.function_name) {
            errors.push((
                Field::FunctionName,
                "A letter or _ first, then letters, digits, _, $ or .".to_owned(),
            ));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let wanted =
            [(self.redecode, GraphKind::Redecode), (self.kv, GraphKind::Kv), (self.embed, GraphKind::Embed)];
        Ok(ExportOptions {
            form: self.chosen_form(),
            weights: self.weights,
            graphs: wanted.into_iter().filter_map(|(wanted, graph)| wanted.then_some(graph)).collect(),
            seq,
            context,
            chunk,
            function_name: if self.redecode { self.function_name.clone() } else { defaults.function_name },
            safetensors: self.safetensors,
        })
    }

    /// The kernels that are taken.
    pub fn taken_kernels(&self) -> Kernels {
        self.kernels.unwrap_or(self.runner_kernels)
    }

    fn chosen_form(&self) -> Form {
        match self.form {
            FormChoice::Stablehlo => Form::Stablehlo,
            FormChoice::Cpu => Form::Cpu(CpuOptions {
                kernels: self.taken_kernels(),
                activations: self.activations,
                cache: self.cache,
            }),
        }
    }
}

fn positive(text: &str) -> Result<u32, String> {
    match text.trim().parse::<u32>() {
        Ok(0) => Err("At least 1".to_owned()),
        Ok(value) => Ok(value),
        Err(_) => Err("A whole number".to_owned()),
    }
}

/// Whether MLIR takes the text as a bare symbol name.
fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that generates tokens, trained for so many positions.
    fn trained(context_length: Option<u64>) -> Subject {
        Subject { context_length, is_encoder: false, has_kernels: true }
    }

    #[test]
    fn the_untouched_form_gives_the_default_options() {
        let cpu = |kernels| ExportOptions::of(Form::Cpu(CpuOptions::of(kernels)));
        assert_eq!(OptionsForm::for_model(trained(None), Kernels::Avx2).check(), Ok(cpu(Kernels::Avx2)));
        assert_eq!(stablehlo().check(), Ok(ExportOptions::of(Form::Stablehlo)));
    }

    fn stablehlo() -> OptionsForm {
        let mut form = OptionsForm::default();
        form.choose_form(FormChoice::Stablehlo, trained(None));
        form
    }

    #[test]
    fn kernels_are_the_runners_best_until_somebody_chooses() {
        let mut form = OptionsForm { runner_kernels: Kernels::Avx512Vnni, ..OptionsForm::default() };
        let kernels = |form: &OptionsForm| match form.check().unwrap().form {
            Form::Cpu(cpu) => Some(cpu.kernels),
            Form::Stablehlo => None,
        };
        assert_eq!(kernels(&form), Some(Kernels::Avx512Vnni));
        form.kernels = Some(Kernels::Portable);
        assert_eq!(kernels(&form), Some(Kernels::Portable));
    }

    #[test]
    fn another_form_brings_its_own_weights_and_graphs() {
        let mut form = OptionsForm::for_model(trained(Some(256)), Kernels::Avx2);
        assert_eq!((form.weights, form.redecode, form.chunk.as_str()), (Weights::Keep, false, "256"));
        form.choose_form(FormChoice::Stablehlo, trained(Some(256)));
        assert_eq!((form.weights, form.redecode, form.chunk.as_str()), (Weights::Bf16, true, "64"));
        form.choose_form(FormChoice::Cpu, trained(Some(256)));
        assert_eq!(form, OptionsForm::for_model(trained(Some(256)), Kernels::Avx2));
    }

    #[test]
    fn a_short_model_shortens_the_defaults() {
        let mut form = OptionsForm::for_model(trained(Some(48)), Kernels::Avx2);
        let options = form.check().unwrap();
        assert_eq!((options.context, options.chunk), (48, 48));
        form.choose_form(FormChoice::Stablehlo, trained(Some(48)));
        let options = form.check().unwrap();
        assert_eq!((options.seq, options.context, options.chunk), (48, 48, 48));
    }

    #[test]
    fn each_wrong_field_is_named() {
        let form = OptionsForm {
            seq: "0".into(),
            context: "lots".into(),
            function_name: "9lives".into(),
            ..stablehlo()
        };
        let fields: Vec<Field> = form.check().unwrap_err().into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, [Field::Seq, Field::Context, Field::FunctionName]);
    }

    /// Longer than the model was trained for is for the plan to judge: where positions are computed it can be done.
    #[test]
    fn lengths_are_held_to_each_other() {
        let form = OptionsForm { context: "4096".into(), chunk: "5000".into(), ..OptionsForm::default() };
        let fields: Vec<Field> = form.check().unwrap_err().into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, [Field::Chunk]);
    }

    #[test]
    fn fields_of_a_graph_that_is_not_wanted_do_not_count() {
        let form = OptionsForm {
            redecode: false,
            seq: "nonsense".into(),
            function_name: String::new(),
            ..OptionsForm::default()
        };
        let options = form.check().unwrap();
        assert_eq!(options.graphs, [GraphKind::Kv]);
        assert_eq!(options.function_name, "main");
        let neither = OptionsForm { kv: false, ..form };
        assert_eq!(neither.check().unwrap_err()[0].0, Field::Graphs);
    }

    #[test]
    fn an_encoder_has_a_form_of_its_own() {
        let encoder = Subject { is_encoder: true, has_kernels: false, ..trained(Some(512)) };
        let form = OptionsForm::for_model(encoder, Kernels::Avx2);
        assert_eq!(form.check(), Ok(ExportOptions::embedding()));
    }

    #[test]
    fn a_model_without_kernels_has_the_portable_form() {
        let subject = Subject { has_kernels: false, ..trained(None) };
        let form = OptionsForm::for_model(subject, Kernels::Avx2);
        assert_eq!((form.form, form.runner_kernels), (FormChoice::Stablehlo, Kernels::Avx2));
        assert_eq!(form.check(), Ok(ExportOptions::of(Form::Stablehlo)));
    }
}
