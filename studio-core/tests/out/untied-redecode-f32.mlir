module @llama {
  util.global private @rope = #stream.parameter.named<"model"::"rope"> : tensor<12x2x2x6xf32>
  util.global private @"token_embd.weight" = #stream.parameter.named<"model"::"token_embd.weight"> : tensor<48x32xf32>
  util.global private @"blk.0.attn_norm.weight" = #stream.parameter.named<"model"::"blk.0.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.attn_q.weight" = #stream.parameter.named<"model"::"blk.0.attn_q.weight"> : tensor<32x48xf32>
  util.global private @"blk.0.attn_q.bias" = #stream.parameter.named<"model"::"blk.0.attn_q.bias"> : tensor<48xf32>
  util.global private @"blk.0.attn_k.weight" = #stream.parameter.named<"model"::"blk.0.attn_k.weight"> : tensor<32x24xf32>
  util.global private @"blk.0.attn_k.bias" = #stream.parameter.named<"model"::"blk.0.attn_k.bias"> : tensor<24xf32>
  util.global private @"blk.0.attn_v.weight" = #stream.parameter.named<"model"::"blk.0.attn_v.weight"> : tensor<32x24xf32>
  util.global private @"blk.0.attn_v.bias" = #stream.parameter.named<"model"::"blk.0.attn_v.bias"> : tensor<24xf32>
  util.global private @"blk.0.attn_output.weight" = #stream.parameter.named<"model"::"blk.0.attn_output.weight"> : tensor<48x32xf32>
  util.global private @"blk.0.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.0.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.0.ffn_gate.weight"> : tensor<32x40xf32>
  util.global private @"blk.0.ffn_up.weight" = #stream.parameter.named<"model"::"blk.0.ffn_up.weight"> : tensor<32x40xf32>
  util.global private @"blk.0.ffn_down.weight" = #stream.parameter.named<"model"::"blk.0.ffn_down.weight"> : tensor<40x32xf32>
  util.global private @"blk.1.attn_norm.weight" = #stream.parameter.named<"model"::"blk.1.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.attn_q.weight" = #stream.parameter.named<"model"::"blk.1.attn_q.weight"> : tensor<32x48xf32>
  util.global private @"blk.1.attn_q.bias" = #stream.parameter.named<"model"::"blk.1.attn_q.bias"> : tensor<48xf32>
  util.global private @"blk.1.attn_k.weight" = #stream.parameter.named<"model"::"blk.1.attn_k.weight"> : tensor<32x24xf32>
  util.global private @"blk.1.attn_k.bias" = #stream.parameter.named<"model"::"blk.1.attn_k.bias"> : tensor<24xf32>
  util.global private @"blk.1.attn_v.weight" = #stream.parameter.named<"model"::"blk.1.attn_v.weight"> : tensor<32x24xf32>
  util.global private @"blk.1.attn_v.bias" = #stream.parameter.named<"model"::"blk.1.attn_v.bias"> : tensor<24xf32>
  util.global private @"blk.1.attn_output.weight" = #stream.parameter.named<"model"::"blk.1.attn_output.weight"> : tensor<48x32xf32>
  util.global private @"blk.1.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.1.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.1.ffn_gate.weight"> : tensor<32x40xf32>
  util.global private @"blk.1.ffn_up.weight" = #stream.parameter.named<"model"::"blk.1.ffn_up.weight"> : tensor<32x40xf32>
  util.global private @"blk.1.ffn_down.weight" = #stream.parameter.named<"model"::"blk.1.ffn_down.weight"> : tensor<40x32xf32>
  util.global private @"output_norm.weight" = #stream.parameter.named<"model"::"output_norm.weight"> : tensor<32xf32>
  util.global private @"output.weight" = #stream.parameter.named<"model"::"output.weight"> : tensor<32x48xf32>

  func.func public @main(%tokens: tensor<1x12xi32>) -> (tensor<12xi32>) {
    // model
    %reshape = stablehlo.reshape %tokens : (tensor<1x12xi32>) -> tensor<12xi32> loc(#scope0)
    // rope
    %rotation = util.global.load @rope : tensor<12x2x2x6xf32> loc(#scope1)
    // mask
    %iota = stablehlo.iota dim = 0 : tensor<12x12xi32> loc(#scope2)
    %iota.2 = stablehlo.iota dim = 1 : tensor<12x12xi32> loc(#scope2)
    %visible = stablehlo.compare LE, %iota.2, %iota, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1> loc(#scope2)
    // embedding
    %parameter = util.global.load @"token_embd.weight" : tensor<48x32xf32> loc(#scope3)
    %hidden = "stablehlo.gather"(%parameter, %reshape) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>, indices_are_sorted = false}> : (tensor<48x32xf32>, tensor<12xi32>) -> tensor<12x32xf32> loc(#scope3)
    // layer 0 / attention_norm
    %multiply = stablehlo.multiply %hidden, %hidden : tensor<12x32xf32> loc(#scope5)
    %reduce.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope5)
    %reduce = stablehlo.reduce(%multiply init: %reduce.init) applies stablehlo.add across dimensions = [1] : (tensor<12x32xf32>, tensor<f32>) -> tensor<12xf32> loc(#scope5)
    %constant = stablehlo.constant dense<0.03125> : tensor<12xf32> loc(#scope5)
    %multiply.2 = stablehlo.multiply %reduce, %constant : tensor<12xf32> loc(#scope5)
    %constant.2 = stablehlo.constant dense<1.0e-5> : tensor<12xf32> loc(#scope5)
    %add = stablehlo.add %multiply.2, %constant.2 : tensor<12xf32> loc(#scope5)
    %rsqrt = stablehlo.rsqrt %add : tensor<12xf32> loc(#scope5)
    %broadcast_in_dim = stablehlo.broadcast_in_dim %rsqrt, dims = [0] : (tensor<12xf32>) -> tensor<12x32xf32> loc(#scope5)
    %multiply.3 = stablehlo.multiply %hidden, %broadcast_in_dim : tensor<12x32xf32> loc(#scope5)
    %parameter.2 = util.global.load @"blk.0.attn_norm.weight" : tensor<32xf32> loc(#scope5)
    %broadcast_in_dim.2 = stablehlo.broadcast_in_dim %parameter.2, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32> loc(#scope5)
    %normed = stablehlo.multiply %multiply.3, %broadcast_in_dim.2 : tensor<12x32xf32> loc(#scope5)
    // layer 0 / attention / q_proj
    %parameter.3 = util.global.load @"blk.0.attn_q.weight" : tensor<32x48xf32> loc(#scope7)
    %dot_general = stablehlo.dot_general %normed, %parameter.3, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x48xf32>) -> tensor<12x48xf32> loc(#scope7)
    %parameter.4 = util.global.load @"blk.0.attn_q.bias" : tensor<48xf32> loc(#scope7)
    %broadcast_in_dim.3 = stablehlo.broadcast_in_dim %parameter.4, dims = [1] : (tensor<48xf32>) -> tensor<12x48xf32> loc(#scope7)
    %add.2 = stablehlo.add %dot_general, %broadcast_in_dim.3 : tensor<12x48xf32> loc(#scope7)
    // layer 0 / attention
    %reshape.2 = stablehlo.reshape %add.2 : (tensor<12x48xf32>) -> tensor<12x4x12xf32> loc(#scope6)
    // layer 0 / attention / q_rope
    %reshape.3 = stablehlo.reshape %reshape.2 : (tensor<12x4x12xf32>) -> tensor<12x4x2x6xf32> loc(#scope8)
    %broadcast_in_dim.4 = stablehlo.broadcast_in_dim %reshape.3, dims = [0, 1, 2, 4] : (tensor<12x4x2x6xf32>) -> tensor<12x4x2x2x6xf32> loc(#scope8)
    %broadcast_in_dim.5 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x4x2x2x6xf32> loc(#scope8)
    %multiply.4 = stablehlo.multiply %broadcast_in_dim.4, %broadcast_in_dim.5 : tensor<12x4x2x2x6xf32> loc(#scope8)
    %reduce.2.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope8)
    %reduce.2 = stablehlo.reduce(%multiply.4 init: %reduce.2.init) applies stablehlo.add across dimensions = [2] : (tensor<12x4x2x2x6xf32>, tensor<f32>) -> tensor<12x4x2x6xf32> loc(#scope8)
    %reshape.4 = stablehlo.reshape %reduce.2 : (tensor<12x4x2x6xf32>) -> tensor<12x4x12xf32> loc(#scope8)
    // layer 0 / attention / k_proj
    %parameter.5 = util.global.load @"blk.0.attn_k.weight" : tensor<32x24xf32> loc(#scope9)
    %dot_general.2 = stablehlo.dot_general %normed, %parameter.5, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x24xf32>) -> tensor<12x24xf32> loc(#scope9)
    %parameter.6 = util.global.load @"blk.0.attn_k.bias" : tensor<24xf32> loc(#scope9)
    %broadcast_in_dim.6 = stablehlo.broadcast_in_dim %parameter.6, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32> loc(#scope9)
    %add.3 = stablehlo.add %dot_general.2, %broadcast_in_dim.6 : tensor<12x24xf32> loc(#scope9)
    // layer 0 / attention
    %reshape.5 = stablehlo.reshape %add.3 : (tensor<12x24xf32>) -> tensor<12x2x12xf32> loc(#scope6)
    // layer 0 / attention / k_rope
    %reshape.6 = stablehlo.reshape %reshape.5 : (tensor<12x2x12xf32>) -> tensor<12x2x2x6xf32> loc(#scope10)
    %broadcast_in_dim.7 = stablehlo.broadcast_in_dim %reshape.6, dims = [0, 1, 2, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x2x2x2x6xf32> loc(#scope10)
    %broadcast_in_dim.8 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x2x2x2x6xf32> loc(#scope10)
    %multiply.5 = stablehlo.multiply %broadcast_in_dim.7, %broadcast_in_dim.8 : tensor<12x2x2x2x6xf32> loc(#scope10)
    %reduce.3.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope10)
    %reduce.3 = stablehlo.reduce(%multiply.5 init: %reduce.3.init) applies stablehlo.add across dimensions = [2] : (tensor<12x2x2x2x6xf32>, tensor<f32>) -> tensor<12x2x2x6xf32> loc(#scope10)
    %reshape.7 = stablehlo.reshape %reduce.3 : (tensor<12x2x2x6xf32>) -> tensor<12x2x12xf32> loc(#scope10)
    // layer 0 / attention / v_proj
    %parameter.7 = util.global.load @"blk.0.attn_v.weight" : tensor<32x24xf32> loc(#scope11)
    %dot_general.3 = stablehlo.dot_general %normed, %parameter.7, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x24xf32>) -> tensor<12x24xf32> loc(#scope11)
    %parameter.8 = util.global.load @"blk.0.attn_v.bias" : tensor<24xf32> loc(#scope11)
    %broadcast_in_dim.9 = stablehlo.broadcast_in_dim %parameter.8, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32> loc(#scope11)
    %add.4 = stablehlo.add %dot_general.3, %broadcast_in_dim.9 : tensor<12x24xf32> loc(#scope11)
    // layer 0 / attention
    %reshape.8 = stablehlo.reshape %add.4 : (tensor<12x24xf32>) -> tensor<12x2x12xf32> loc(#scope6)
    // layer 0 / attention / cache
    %transpose = stablehlo.transpose %reshape.7, dims = [1, 0, 2] : (tensor<12x2x12xf32>) -> tensor<2x12x12xf32> loc(#scope12)
    %transpose.2 = stablehlo.transpose %reshape.8, dims = [1, 0, 2] : (tensor<12x2x12xf32>) -> tensor<2x12x12xf32> loc(#scope12)
    // layer 0 / attention / mix
    %reshape.9 = stablehlo.reshape %reshape.4 : (tensor<12x4x12xf32>) -> tensor<12x2x2x12xf32> loc(#scope13)
    %transpose.3 = stablehlo.transpose %reshape.9, dims = [1, 0, 2, 3] : (tensor<12x2x2x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope13)
    %reshape.10 = stablehlo.reshape %transpose.3 : (tensor<2x12x2x12xf32>) -> tensor<2x24x12xf32> loc(#scope13)
    %dot_general.4 = stablehlo.dot_general %reshape.10, %transpose, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x24x12xf32>, tensor<2x12x12xf32>) -> tensor<2x24x12xf32> loc(#scope13)
    %reshape.11 = stablehlo.reshape %dot_general.4 : (tensor<2x24x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope13)
    %constant.3 = stablehlo.constant dense<0.28867513> : tensor<2x12x2x12xf32> loc(#scope13)
    %multiply.6 = stablehlo.multiply %reshape.11, %constant.3 : tensor<2x12x2x12xf32> loc(#scope13)
    %broadcast_in_dim.10 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<12x12xi1>) -> tensor<2x12x2x12xi1> loc(#scope13)
    %constant.4 = stablehlo.constant dense<0xFF800000> : tensor<2x12x2x12xf32> loc(#scope13)
    %scores = stablehlo.select %broadcast_in_dim.10, %multiply.6, %constant.4 : tensor<2x12x2x12xi1>, tensor<2x12x2x12xf32> loc(#scope13)
    %reduce.4.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope13)
    %reduce.4 = stablehlo.reduce(%scores init: %reduce.4.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x12x2x12xf32>, tensor<f32>) -> tensor<2x12x2xf32> loc(#scope13)
    %broadcast_in_dim.11 = stablehlo.broadcast_in_dim %reduce.4, dims = [0, 1, 2] : (tensor<2x12x2xf32>) -> tensor<2x12x2x12xf32> loc(#scope13)
    %subtract = stablehlo.subtract %scores, %broadcast_in_dim.11 : tensor<2x12x2x12xf32> loc(#scope13)
    %weights = stablehlo.exponential %subtract : tensor<2x12x2x12xf32> loc(#scope13)
    %reduce.5.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope13)
    %reduce.5 = stablehlo.reduce(%weights init: %reduce.5.init) applies stablehlo.add across dimensions = [3] : (tensor<2x12x2x12xf32>, tensor<f32>) -> tensor<2x12x2xf32> loc(#scope13)
    %reshape.12 = stablehlo.reshape %weights : (tensor<2x12x2x12xf32>) -> tensor<2x24x12xf32> loc(#scope13)
    %dot_general.5 = stablehlo.dot_general %reshape.12, %transpose.2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x24x12xf32>, tensor<2x12x12xf32>) -> tensor<2x24x12xf32> loc(#scope13)
    %reshape.13 = stablehlo.reshape %reduce.5 : (tensor<2x12x2xf32>) -> tensor<2x24xf32> loc(#scope13)
    %broadcast_in_dim.12 = stablehlo.broadcast_in_dim %reshape.13, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x12xf32> loc(#scope13)
    %divide = stablehlo.divide %dot_general.5, %broadcast_in_dim.12 : tensor<2x24x12xf32> loc(#scope13)
    %reshape.14 = stablehlo.reshape %divide : (tensor<2x24x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope13)
    %transpose.4 = stablehlo.transpose %reshape.14, dims = [1, 0, 2, 3] : (tensor<2x12x2x12xf32>) -> tensor<12x2x2x12xf32> loc(#scope13)
    %reshape.15 = stablehlo.reshape %transpose.4 : (tensor<12x2x2x12xf32>) -> tensor<12x4x12xf32> loc(#scope13)
    // layer 0 / attention
    %reshape.16 = stablehlo.reshape %reshape.15 : (tensor<12x4x12xf32>) -> tensor<12x48xf32> loc(#scope6)
    // layer 0 / attention / o_proj
    %parameter.9 = util.global.load @"blk.0.attn_output.weight" : tensor<48x32xf32> loc(#scope14)
    %dot_general.6 = stablehlo.dot_general %reshape.16, %parameter.9, contracting_dims = [1] x [0] : (tensor<12x48xf32>, tensor<48x32xf32>) -> tensor<12x32xf32> loc(#scope14)
    // layer 0
    %add.5 = stablehlo.add %hidden, %dot_general.6 : tensor<12x32xf32> loc(#scope4)
    // layer 0 / mlp_norm
    %multiply.7 = stablehlo.multiply %add.5, %add.5 : tensor<12x32xf32> loc(#scope15)
    %reduce.6.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope15)
    %reduce.6 = stablehlo.reduce(%multiply.7 init: %reduce.6.init) applies stablehlo.add across dimensions = [1] : (tensor<12x32xf32>, tensor<f32>) -> tensor<12xf32> loc(#scope15)
    %constant.5 = stablehlo.constant dense<0.03125> : tensor<12xf32> loc(#scope15)
    %multiply.8 = stablehlo.multiply %reduce.6, %constant.5 : tensor<12xf32> loc(#scope15)
    %constant.6 = stablehlo.constant dense<1.0e-5> : tensor<12xf32> loc(#scope15)
    %add.6 = stablehlo.add %multiply.8, %constant.6 : tensor<12xf32> loc(#scope15)
    %rsqrt.2 = stablehlo.rsqrt %add.6 : tensor<12xf32> loc(#scope15)
    %broadcast_in_dim.13 = stablehlo.broadcast_in_dim %rsqrt.2, dims = [0] : (tensor<12xf32>) -> tensor<12x32xf32> loc(#scope15)
    %multiply.9 = stablehlo.multiply %add.5, %broadcast_in_dim.13 : tensor<12x32xf32> loc(#scope15)
    %parameter.10 = util.global.load @"blk.0.ffn_norm.weight" : tensor<32xf32> loc(#scope15)
    %broadcast_in_dim.14 = stablehlo.broadcast_in_dim %parameter.10, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32> loc(#scope15)
    %normed.2 = stablehlo.multiply %multiply.9, %broadcast_in_dim.14 : tensor<12x32xf32> loc(#scope15)
    // layer 0 / mlp / gate_proj
    %parameter.11 = util.global.load @"blk.0.ffn_gate.weight" : tensor<32x40xf32> loc(#scope17)
    %dot_general.7 = stablehlo.dot_general %normed.2, %parameter.11, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x40xf32>) -> tensor<12x40xf32> loc(#scope17)
    // layer 0 / mlp / up_proj
    %parameter.12 = util.global.load @"blk.0.ffn_up.weight" : tensor<32x40xf32> loc(#scope18)
    %dot_general.8 = stablehlo.dot_general %normed.2, %parameter.12, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x40xf32>) -> tensor<12x40xf32> loc(#scope18)
    // layer 0 / mlp
    %logistic = stablehlo.logistic %dot_general.7 : tensor<12x40xf32> loc(#scope16)
    %multiply.10 = stablehlo.multiply %dot_general.7, %logistic : tensor<12x40xf32> loc(#scope16)
    %gated = stablehlo.multiply %multiply.10, %dot_general.8 : tensor<12x40xf32> loc(#scope16)
    // layer 0 / mlp / down_proj
    %parameter.13 = util.global.load @"blk.0.ffn_down.weight" : tensor<40x32xf32> loc(#scope19)
    %dot_general.9 = stablehlo.dot_general %gated, %parameter.13, contracting_dims = [1] x [0] : (tensor<12x40xf32>, tensor<40x32xf32>) -> tensor<12x32xf32> loc(#scope19)
    // layer 0
    %hidden.2 = stablehlo.add %add.5, %dot_general.9 : tensor<12x32xf32> loc(#scope4)
    // layer 1 / attention_norm
    %multiply.11 = stablehlo.multiply %hidden.2, %hidden.2 : tensor<12x32xf32> loc(#scope21)
    %reduce.7.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope21)
    %reduce.7 = stablehlo.reduce(%multiply.11 init: %reduce.7.init) applies stablehlo.add across dimensions = [1] : (tensor<12x32xf32>, tensor<f32>) -> tensor<12xf32> loc(#scope21)
    %constant.7 = stablehlo.constant dense<0.03125> : tensor<12xf32> loc(#scope21)
    %multiply.12 = stablehlo.multiply %reduce.7, %constant.7 : tensor<12xf32> loc(#scope21)
    %constant.8 = stablehlo.constant dense<1.0e-5> : tensor<12xf32> loc(#scope21)
    %add.7 = stablehlo.add %multiply.12, %constant.8 : tensor<12xf32> loc(#scope21)
    %rsqrt.3 = stablehlo.rsqrt %add.7 : tensor<12xf32> loc(#scope21)
    %broadcast_in_dim.15 = stablehlo.broadcast_in_dim %rsqrt.3, dims = [0] : (tensor<12xf32>) -> tensor<12x32xf32> loc(#scope21)
    %multiply.13 = stablehlo.multiply %hidden.2, %broadcast_in_dim.15 : tensor<12x32xf32> loc(#scope21)
    %parameter.14 = util.global.load @"blk.1.attn_norm.weight" : tensor<32xf32> loc(#scope21)
    %broadcast_in_dim.16 = stablehlo.broadcast_in_dim %parameter.14, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32> loc(#scope21)
    %normed.3 = stablehlo.multiply %multiply.13, %broadcast_in_dim.16 : tensor<12x32xf32> loc(#scope21)
    // layer 1 / attention / q_proj
    %parameter.15 = util.global.load @"blk.1.attn_q.weight" : tensor<32x48xf32> loc(#scope23)
    %dot_general.10 = stablehlo.dot_general %normed.3, %parameter.15, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x48xf32>) -> tensor<12x48xf32> loc(#scope23)
    %parameter.16 = util.global.load @"blk.1.attn_q.bias" : tensor<48xf32> loc(#scope23)
    %broadcast_in_dim.17 = stablehlo.broadcast_in_dim %parameter.16, dims = [1] : (tensor<48xf32>) -> tensor<12x48xf32> loc(#scope23)
    %add.8 = stablehlo.add %dot_general.10, %broadcast_in_dim.17 : tensor<12x48xf32> loc(#scope23)
    // layer 1 / attention
    %reshape.17 = stablehlo.reshape %add.8 : (tensor<12x48xf32>) -> tensor<12x4x12xf32> loc(#scope22)
    // layer 1 / attention / q_rope
    %reshape.18 = stablehlo.reshape %reshape.17 : (tensor<12x4x12xf32>) -> tensor<12x4x2x6xf32> loc(#scope24)
    %broadcast_in_dim.18 = stablehlo.broadcast_in_dim %reshape.18, dims = [0, 1, 2, 4] : (tensor<12x4x2x6xf32>) -> tensor<12x4x2x2x6xf32> loc(#scope24)
    %broadcast_in_dim.19 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x4x2x2x6xf32> loc(#scope24)
    %multiply.14 = stablehlo.multiply %broadcast_in_dim.18, %broadcast_in_dim.19 : tensor<12x4x2x2x6xf32> loc(#scope24)
    %reduce.8.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope24)
    %reduce.8 = stablehlo.reduce(%multiply.14 init: %reduce.8.init) applies stablehlo.add across dimensions = [2] : (tensor<12x4x2x2x6xf32>, tensor<f32>) -> tensor<12x4x2x6xf32> loc(#scope24)
    %reshape.19 = stablehlo.reshape %reduce.8 : (tensor<12x4x2x6xf32>) -> tensor<12x4x12xf32> loc(#scope24)
    // layer 1 / attention / k_proj
    %parameter.17 = util.global.load @"blk.1.attn_k.weight" : tensor<32x24xf32> loc(#scope25)
    %dot_general.11 = stablehlo.dot_general %normed.3, %parameter.17, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x24xf32>) -> tensor<12x24xf32> loc(#scope25)
    %parameter.18 = util.global.load @"blk.1.attn_k.bias" : tensor<24xf32> loc(#scope25)
    %broadcast_in_dim.20 = stablehlo.broadcast_in_dim %parameter.18, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32> loc(#scope25)
    %add.9 = stablehlo.add %dot_general.11, %broadcast_in_dim.20 : tensor<12x24xf32> loc(#scope25)
    // layer 1 / attention
    %reshape.20 = stablehlo.reshape %add.9 : (tensor<12x24xf32>) -> tensor<12x2x12xf32> loc(#scope22)
    // layer 1 / attention / k_rope
    %reshape.21 = stablehlo.reshape %reshape.20 : (tensor<12x2x12xf32>) -> tensor<12x2x2x6xf32> loc(#scope26)
    %broadcast_in_dim.21 = stablehlo.broadcast_in_dim %reshape.21, dims = [0, 1, 2, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x2x2x2x6xf32> loc(#scope26)
    %broadcast_in_dim.22 = stablehlo.broadcast_in_dim %rotation, dims = [0, 2, 3, 4] : (tensor<12x2x2x6xf32>) -> tensor<12x2x2x2x6xf32> loc(#scope26)
    %multiply.15 = stablehlo.multiply %broadcast_in_dim.21, %broadcast_in_dim.22 : tensor<12x2x2x2x6xf32> loc(#scope26)
    %reduce.9.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope26)
    %reduce.9 = stablehlo.reduce(%multiply.15 init: %reduce.9.init) applies stablehlo.add across dimensions = [2] : (tensor<12x2x2x2x6xf32>, tensor<f32>) -> tensor<12x2x2x6xf32> loc(#scope26)
    %reshape.22 = stablehlo.reshape %reduce.9 : (tensor<12x2x2x6xf32>) -> tensor<12x2x12xf32> loc(#scope26)
    // layer 1 / attention / v_proj
    %parameter.19 = util.global.load @"blk.1.attn_v.weight" : tensor<32x24xf32> loc(#scope27)
    %dot_general.12 = stablehlo.dot_general %normed.3, %parameter.19, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x24xf32>) -> tensor<12x24xf32> loc(#scope27)
    %parameter.20 = util.global.load @"blk.1.attn_v.bias" : tensor<24xf32> loc(#scope27)
    %broadcast_in_dim.23 = stablehlo.broadcast_in_dim %parameter.20, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32> loc(#scope27)
    %add.10 = stablehlo.add %dot_general.12, %broadcast_in_dim.23 : tensor<12x24xf32> loc(#scope27)
    // layer 1 / attention
    %reshape.23 = stablehlo.reshape %add.10 : (tensor<12x24xf32>) -> tensor<12x2x12xf32> loc(#scope22)
    // layer 1 / attention / cache
    %transpose.5 = stablehlo.transpose %reshape.22, dims = [1, 0, 2] : (tensor<12x2x12xf32>) -> tensor<2x12x12xf32> loc(#scope28)
    %transpose.6 = stablehlo.transpose %reshape.23, dims = [1, 0, 2] : (tensor<12x2x12xf32>) -> tensor<2x12x12xf32> loc(#scope28)
    // layer 1 / attention / mix
    %reshape.24 = stablehlo.reshape %reshape.19 : (tensor<12x4x12xf32>) -> tensor<12x2x2x12xf32> loc(#scope29)
    %transpose.7 = stablehlo.transpose %reshape.24, dims = [1, 0, 2, 3] : (tensor<12x2x2x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope29)
    %reshape.25 = stablehlo.reshape %transpose.7 : (tensor<2x12x2x12xf32>) -> tensor<2x24x12xf32> loc(#scope29)
    %dot_general.13 = stablehlo.dot_general %reshape.25, %transpose.5, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x24x12xf32>, tensor<2x12x12xf32>) -> tensor<2x24x12xf32> loc(#scope29)
    %reshape.26 = stablehlo.reshape %dot_general.13 : (tensor<2x24x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope29)
    %constant.9 = stablehlo.constant dense<0.28867513> : tensor<2x12x2x12xf32> loc(#scope29)
    %multiply.16 = stablehlo.multiply %reshape.26, %constant.9 : tensor<2x12x2x12xf32> loc(#scope29)
    %broadcast_in_dim.24 = stablehlo.broadcast_in_dim %visible, dims = [1, 3] : (tensor<12x12xi1>) -> tensor<2x12x2x12xi1> loc(#scope29)
    %constant.10 = stablehlo.constant dense<0xFF800000> : tensor<2x12x2x12xf32> loc(#scope29)
    %scores.2 = stablehlo.select %broadcast_in_dim.24, %multiply.16, %constant.10 : tensor<2x12x2x12xi1>, tensor<2x12x2x12xf32> loc(#scope29)
    %reduce.10.init = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope29)
    %reduce.10 = stablehlo.reduce(%scores.2 init: %reduce.10.init) applies stablehlo.maximum across dimensions = [3] : (tensor<2x12x2x12xf32>, tensor<f32>) -> tensor<2x12x2xf32> loc(#scope29)
    %broadcast_in_dim.25 = stablehlo.broadcast_in_dim %reduce.10, dims = [0, 1, 2] : (tensor<2x12x2xf32>) -> tensor<2x12x2x12xf32> loc(#scope29)
    %subtract.2 = stablehlo.subtract %scores.2, %broadcast_in_dim.25 : tensor<2x12x2x12xf32> loc(#scope29)
    %weights.2 = stablehlo.exponential %subtract.2 : tensor<2x12x2x12xf32> loc(#scope29)
    %reduce.11.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope29)
    %reduce.11 = stablehlo.reduce(%weights.2 init: %reduce.11.init) applies stablehlo.add across dimensions = [3] : (tensor<2x12x2x12xf32>, tensor<f32>) -> tensor<2x12x2xf32> loc(#scope29)
    %reshape.27 = stablehlo.reshape %weights.2 : (tensor<2x12x2x12xf32>) -> tensor<2x24x12xf32> loc(#scope29)
    %dot_general.14 = stablehlo.dot_general %reshape.27, %transpose.6, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x24x12xf32>, tensor<2x12x12xf32>) -> tensor<2x24x12xf32> loc(#scope29)
    %reshape.28 = stablehlo.reshape %reduce.11 : (tensor<2x12x2xf32>) -> tensor<2x24xf32> loc(#scope29)
    %broadcast_in_dim.26 = stablehlo.broadcast_in_dim %reshape.28, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x12xf32> loc(#scope29)
    %divide.2 = stablehlo.divide %dot_general.14, %broadcast_in_dim.26 : tensor<2x24x12xf32> loc(#scope29)
    %reshape.29 = stablehlo.reshape %divide.2 : (tensor<2x24x12xf32>) -> tensor<2x12x2x12xf32> loc(#scope29)
    %transpose.8 = stablehlo.transpose %reshape.29, dims = [1, 0, 2, 3] : (tensor<2x12x2x12xf32>) -> tensor<12x2x2x12xf32> loc(#scope29)
    %reshape.30 = stablehlo.reshape %transpose.8 : (tensor<12x2x2x12xf32>) -> tensor<12x4x12xf32> loc(#scope29)
    // layer 1 / attention
    %reshape.31 = stablehlo.reshape %reshape.30 : (tensor<12x4x12xf32>) -> tensor<12x48xf32> loc(#scope22)
    // layer 1 / attention / o_proj
    %parameter.21 = util.global.load @"blk.1.attn_output.weight" : tensor<48x32xf32> loc(#scope30)
    %dot_general.15 = stablehlo.dot_general %reshape.31, %parameter.21, contracting_dims = [1] x [0] : (tensor<12x48xf32>, tensor<48x32xf32>) -> tensor<12x32xf32> loc(#scope30)
    // layer 1
    %add.11 = stablehlo.add %hidden.2, %dot_general.15 : tensor<12x32xf32> loc(#scope20)
    // layer 1 / mlp_norm
    %multiply.17 = stablehlo.multiply %add.11, %add.11 : tensor<12x32xf32> loc(#scope31)
    %reduce.12.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope31)
    %reduce.12 = stablehlo.reduce(%multiply.17 init: %reduce.12.init) applies stablehlo.add across dimensions = [1] : (tensor<12x32xf32>, tensor<f32>) -> tensor<12xf32> loc(#scope31)
    %constant.11 = stablehlo.constant dense<0.03125> : tensor<12xf32> loc(#scope31)
    %multiply.18 = stablehlo.multiply %reduce.12, %constant.11 : tensor<12xf32> loc(#scope31)
    %constant.12 = stablehlo.constant dense<1.0e-5> : tensor<12xf32> loc(#scope31)
    %add.12 = stablehlo.add %multiply.18, %constant.12 : tensor<12xf32> loc(#scope31)
    %rsqrt.4 = stablehlo.rsqrt %add.12 : tensor<12xf32> loc(#scope31)
    %broadcast_in_dim.27 = stablehlo.broadcast_in_dim %rsqrt.4, dims = [0] : (tensor<12xf32>) -> tensor<12x32xf32> loc(#scope31)
    %multiply.19 = stablehlo.multiply %add.11, %broadcast_in_dim.27 : tensor<12x32xf32> loc(#scope31)
    %parameter.22 = util.global.load @"blk.1.ffn_norm.weight" : tensor<32xf32> loc(#scope31)
    %broadcast_in_dim.28 = stablehlo.broadcast_in_dim %parameter.22, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32> loc(#scope31)
    %normed.4 = stablehlo.multiply %multiply.19, %broadcast_in_dim.28 : tensor<12x32xf32> loc(#scope31)
    // layer 1 / mlp / gate_proj
    %parameter.23 = util.global.load @"blk.1.ffn_gate.weight" : tensor<32x40xf32> loc(#scope33)
    %dot_general.16 = stablehlo.dot_general %normed.4, %parameter.23, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x40xf32>) -> tensor<12x40xf32> loc(#scope33)
    // layer 1 / mlp / up_proj
    %parameter.24 = util.global.load @"blk.1.ffn_up.weight" : tensor<32x40xf32> loc(#scope34)
    %dot_general.17 = stablehlo.dot_general %normed.4, %parameter.24, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x40xf32>) -> tensor<12x40xf32> loc(#scope34)
    // layer 1 / mlp
    %logistic.2 = stablehlo.logistic %dot_general.16 : tensor<12x40xf32> loc(#scope32)
    %multiply.20 = stablehlo.multiply %dot_general.16, %logistic.2 : tensor<12x40xf32> loc(#scope32)
    %gated.2 = stablehlo.multiply %multiply.20, %dot_general.17 : tensor<12x40xf32> loc(#scope32)
    // layer 1 / mlp / down_proj
    %parameter.25 = util.global.load @"blk.1.ffn_down.weight" : tensor<40x32xf32> loc(#scope35)
    %dot_general.18 = stablehlo.dot_general %gated.2, %parameter.25, contracting_dims = [1] x [0] : (tensor<12x40xf32>, tensor<40x32xf32>) -> tensor<12x32xf32> loc(#scope35)
    // layer 1
    %hidden.3 = stablehlo.add %add.11, %dot_general.18 : tensor<12x32xf32> loc(#scope20)
    // output_norm
    %multiply.21 = stablehlo.multiply %hidden.3, %hidden.3 : tensor<12x32xf32> loc(#scope36)
    %reduce.13.init = stablehlo.constant dense<0.0> : tensor<f32> loc(#scope36)
    %reduce.13 = stablehlo.reduce(%multiply.21 init: %reduce.13.init) applies stablehlo.add across dimensions = [1] : (tensor<12x32xf32>, tensor<f32>) -> tensor<12xf32> loc(#scope36)
    %constant.13 = stablehlo.constant dense<0.03125> : tensor<12xf32> loc(#scope36)
    %multiply.22 = stablehlo.multiply %reduce.13, %constant.13 : tensor<12xf32> loc(#scope36)
    %constant.14 = stablehlo.constant dense<1.0e-5> : tensor<12xf32> loc(#scope36)
    %add.13 = stablehlo.add %multiply.22, %constant.14 : tensor<12xf32> loc(#scope36)
    %rsqrt.5 = stablehlo.rsqrt %add.13 : tensor<12xf32> loc(#scope36)
    %broadcast_in_dim.29 = stablehlo.broadcast_in_dim %rsqrt.5, dims = [0] : (tensor<12xf32>) -> tensor<12x32xf32> loc(#scope36)
    %multiply.23 = stablehlo.multiply %hidden.3, %broadcast_in_dim.29 : tensor<12x32xf32> loc(#scope36)
    %parameter.26 = util.global.load @"output_norm.weight" : tensor<32xf32> loc(#scope36)
    %broadcast_in_dim.30 = stablehlo.broadcast_in_dim %parameter.26, dims = [1] : (tensor<32xf32>) -> tensor<12x32xf32> loc(#scope36)
    %normed.5 = stablehlo.multiply %multiply.23, %broadcast_in_dim.30 : tensor<12x32xf32> loc(#scope36)
    // output
    %parameter.27 = util.global.load @"output.weight" : tensor<32x48xf32> loc(#scope37)
    %logits = stablehlo.dot_general %normed.5, %parameter.27, contracting_dims = [1] x [0] : (tensor<12x32xf32>, tensor<32x48xf32>) -> tensor<12x48xf32> loc(#scope37)
    // model
    %next.least = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#scope0)
    %next.none = stablehlo.constant dense<2147483647> : tensor<i32> loc(#scope0)
    %next.index = stablehlo.iota dim = 1 : tensor<12x48xi32> loc(#scope0)
    %next:2 = stablehlo.reduce(%logits init: %next.least), (%next.index init: %next.none) across dimensions = [1] : (tensor<12x48xf32>, tensor<12x48xi32>, tensor<f32>, tensor<i32>) -> (tensor<12xf32>, tensor<12xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%ai: tensor<i32>, %bi: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %ai, %bi, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %equal, %earlier : tensor<i1>
      %wins = stablehlo.or %greater, %first : tensor<i1>
      %value = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %at = stablehlo.select %wins, %ai, %bi : tensor<i1>, tensor<i32>
      stablehlo.return %value, %at : tensor<f32>, tensor<i32>
    } loc(#scope0)
    return %next#1 : tensor<12xi32>
  }
}

#scope0 = loc("model")
#scope1 = loc("rope")
#scope2 = loc("mask")
#scope3 = loc("embedding")
#scope4 = loc("layer 0")
#scope5 = loc("layer 0 / attention_norm")
#scope6 = loc("layer 0 / attention")
#scope7 = loc("layer 0 / attention / q_proj")
#scope8 = loc("layer 0 / attention / q_rope")
#scope9 = loc("layer 0 / attention / k_proj")
#scope10 = loc("layer 0 / attention / k_rope")
#scope11 = loc("layer 0 / attention / v_proj")
#scope12 = loc("layer 0 / attention / cache")
#scope13 = loc("layer 0 / attention / mix")
#scope14 = loc("layer 0 / attention / o_proj")
#scope15 = loc("layer 0 / mlp_norm")
#scope16 = loc("layer 0 / mlp")
#scope17 = loc("layer 0 / mlp / gate_proj")
#scope18 = loc("layer 0 / mlp / up_proj")
#scope19 = loc("layer 0 / mlp / down_proj")
#scope20 = loc("layer 1")
#scope21 = loc("layer 1 / attention_norm")
#scope22 = loc("layer 1 / attention")
#scope23 = loc("layer 1 / attention / q_proj")
#scope24 = loc("layer 1 / attention / q_rope")
#scope25 = loc("layer 1 / attention / k_proj")
#scope26 = loc("layer 1 / attention / k_rope")
#scope27 = loc("layer 1 / attention / v_proj")
#scope28 = loc("layer 1 / attention / cache")
#scope29 = loc("layer 1 / attention / mix")
#scope30 = loc("layer 1 / attention / o_proj")
#scope31 = loc("layer 1 / mlp_norm")
#scope32 = loc("layer 1 / mlp")
#scope33 = loc("layer 1 / mlp / gate_proj")
#scope34 = loc("layer 1 / mlp / up_proj")
#scope35 = loc("layer 1 / mlp / down_proj")
#scope36 = loc("output_norm")
#scope37 = loc("output")
